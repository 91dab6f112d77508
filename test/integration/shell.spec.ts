import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RunPool } from '#pipeline';
import { eventually, openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

interface RunAnswer {
  id: string;
  status: string;
  error_code: string | null;
  error_info: string | null;
  result: { exit_code: number | null; stdout: string; stderr: string } | null;
  attempts: { outcome: string; request: object | null; response: object | null }[];
}

describe('executor SHELL', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let env: Record<string, string>;

  beforeAll(async () => {
    stack = await openStack();
    const folder = await mkdtemp(path.join(tmpdir(), 'punctual-shell-'));
    env = { SHELL_EXECUTOR: 'enabled', SHELL_ENV: 'PATH', SHELL_STATE_DIR: folder };
    worker = await startWorker(stack, env);
    api = await startApi(stack, env);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await stack?.close();
    await rm(env.SHELL_STATE_DIR, { recursive: true, force: true });
  });

  const shellTask = (command: string, fields: object = {}) =>
    taskBody({ executor: 'SHELL', command, target_url: undefined, timeout_seconds: 60, ...fields });
  const create = async (command: string, fields: object = {}) => {
    const { status, data } = await api.http.post<{ id: string }>('/tasks', shellTask(command, fields));
    expect(status).toBe(201);
    return data.id;
  };
  const trigger = async (taskId: string, body: object = {}) =>
    (await api.http.post<{ id: string }>(`/tasks/${taskId}/runs`, body)).data.id;
  const runOf = async (id: string) => (await api.http.get<RunAnswer>(`/runs/${id}`)).data;
  const becomes = (id: string, ...statuses: string[]) =>
    eventually(
      async () => {
        const run = await runOf(id);
        return statuses.includes(run.status) && run;
      },
      `${id} is ${statuses.join(' or ')}`,
    );
  const closed = async (command: string, fields: object = {}, body: object = {}) =>
    becomes(await trigger(await create(command, fields), body), 'SUCCESS', 'FAILED', 'TIMEOUT', 'PENDING');

  it('runs the command with its run in the environment and its payload on stdin; exit code 0 is success', async () => {
    const command =
      'cat; echo " $PUNCTUAL_ATTEMPT $PUNCTUAL_SCHEDULED_TIME"; echo "$PUNCTUAL_RUN_ID $PUNCTUAL_TASK_ID" >&2';
    const run = await closed(command, {}, { payload: { a: [1, 'ü'] } });
    expect(run).toMatchObject({ status: 'SUCCESS', error_code: null, result: { exit_code: 0 } });
    expect(run.result!.stdout).toMatch(/^\{"a":\[1,"ü"\]\} 1 \d{4}-.*Z\n$/);
    expect(run.result!.stderr).toBe(`${run.id} ${run.id.split('-')[1]}\n`);
    expect(run.attempts).toMatchObject([
      { outcome: 'SUCCESS', request: { command, stdin: '{"a":[1,"ü"]}' }, response: { exit_code: 0 } },
    ]);
  });

  it('shows a command nothing of the worker but what is named', async () => {
    const run = await closed('env');
    expect(run.result!.stdout).toContain('PATH=');
    expect(run.result!.stdout).not.toMatch(/DATABASE_URL|PUNCTUAL_TEST|NODE_|HOME=/);
  });

  it('another exit code fails the run, and says what the command said last', async () => {
    const run = await closed('echo trying; echo no such thing >&2; exit 3');
    expect(run).toMatchObject({ status: 'FAILED', error_code: 'EXIT_3' });
    expect(run.error_info).toContain('no such thing');
    expect(run.attempts).toMatchObject([{ outcome: 'FAILED', response: { exit_code: 3, stdout: 'trying\n' } }]);
  });

  it('a signal fails it under its name', async () => {
    expect(await closed('kill -KILL $$')).toMatchObject({ status: 'FAILED', error_code: 'SIGNAL_KILL' });
  });

  it('a command that takes too long is a TIMEOUT, with what it had said', async () => {
    const run = await closed('echo before; sleep 600', { timeout_seconds: 1 });
    expect(run).toMatchObject({ status: 'TIMEOUT', error_code: 'TIMEOUT', result: { stdout: 'before\n' } });
  });

  it('is tried again under a retry policy, whatever the exit code', async () => {
    const retry_policy_json = { strategy: 'fixed', interval_seconds: 0, max_attempts: 3 };
    const run = await closed('test "$PUNCTUAL_ATTEMPT" = 3', { retry_policy_json });
    expect(run.status).toBe('SUCCESS');
    expect(run.attempts.map(({ outcome }) => outcome)).toEqual(['FAILED', 'FAILED', 'SUCCESS']);
  });

  it('trigger_log keeps how it ended, but not what it said', async () => {
    const run = await closed('echo hush', { log_mode: 'trigger_log' });
    expect(run).toMatchObject({ status: 'SUCCESS', result: null });
    expect(run.attempts).toMatchObject([{ response: { exit_code: 0, stdout_bytes: 5 } }]);
    expect(JSON.stringify(run.attempts[0].response)).not.toContain('hush');
  });

  it('stores what no database likes', async () => {
    const run = await closed(`printf 'a\\0b\\xff\\xed\\xa0\\x80'`);
    expect(run).toMatchObject({ status: 'SUCCESS' });
    expect(run.result!.stdout).toMatch(/^a\ufffdb\ufffd+$/);
  });

  it('cancelling kills the command, and what it has started', async () => {
    const file = path.join(env.SHELL_STATE_DIR, 'child');
    const id = await trigger(await create(`sleep 600 & echo $! >'${file}.new'; mv '${file}.new' '${file}'; wait`));
    await becomes(id, 'RUNNING');
    const child = await eventually(() => Promise.resolve(existsSync(file) && readFileSync(file, 'utf8')), 'its child');
    expect(isAlive(Number(child))).toBe(true);
    expect((await api.http.post<RunAnswer>(`/runs/${id}/cancel`)).data.status).toBe('CANCELED');
    // Not over before the command is.
    await worker.app.get(RunPool).drained();
    await eventually(() => Promise.resolve(!isAlive(Number(child))), 'its child is gone');
    expect((await runOf(id)).status).toBe('CANCELED');
  });

  it('a worker that may not run commands leaves them to one that may', async () => {
    await worker.stop();
    const idle = await startWorker(stack, { WORKER_CONCURRENCY: '1' });
    const id = await trigger(await create('echo here'));
    // It has had it in hand: what comes after it in the queue is done.
    const { data } = await api.http.post<{ id: string }>('/tasks', taskBody({ target_url: 'http://127.0.0.1:9/' }));
    await becomes(await trigger(data.id), 'FAILED');
    expect((await runOf(id)).status).toBe('SCHEDULED');
    worker = await startWorker(stack, env);
    expect((await becomes(id, 'SUCCESS')).result).toMatchObject({ stdout: 'here\n' });
    await idle.stop();
  });

  it('is refused where it is not enabled, and says what to set', async () => {
    const id = await create('true');
    const closedApi = await startApi(stack);
    const refusals = [
      await closedApi.http.post('/tasks', shellTask('true')),
      await closedApi.http.put(`/tasks/${id}`, shellTask('true')),
      await closedApi.http.patch(`/tasks/${id}`, { description: 'still a command' }),
    ];
    for (const refusal of refusals) {
      expect([refusal.status, fieldsOf(refusal)]).toEqual([422, ['executor']]);
      expect(JSON.stringify(refusal.data)).toContain('SHELL_EXECUTOR=enabled');
    }
    await closedApi.stop();
  });

  it('needs a command, and nobody else may have one', async () => {
    expect(fieldsOf(await api.http.post('/tasks', shellTask('true', { command: null })))).toEqual(['command']);
    expect(fieldsOf(await api.http.post('/tasks', taskBody({ command: 'true' })))).toEqual(['command']);
    expect(fieldsOf(await api.http.post('/tasks', shellTask('true', { exec_type: 'ASYNC' })))).toEqual(['exec_type']);
  });
});

/** A process that has ended and that nobody has asked about yet is not alive any more. */
function isAlive(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
}
