import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EnqueueRuns, type Platform, Rescue, RunPool } from '#pipeline';
import { eventually, gate, insertTask, openStack, secondOf, type Stack, TargetStub } from '#testing';
import { readyPlatform, type RunningWorker, startWorker, tickOn } from '../support/product.js';

describe('one tick, from the due second to the closed run', () => {
  let stack: Stack;
  let platform: Platform;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target
      .on('/json', { body: { answer: 42 } })
      .on('/refuse', { status: 503, body: 'busy' })
      .on('/slow', { hang: true });
    target.on('/odd', { body: '{"text":"a\\u0000b"}', headers: { 'content-type': 'application/json' } });
    // No lease is kept while a test makes one run out.
    worker = await startWorker(stack, { LEASE_SECONDS: '3600' });
    platform = await readyPlatform(stack);
  });

  afterAll(async () => {
    await worker?.stop();
    await platform?.close();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => target.clear());

  const finished = (id: string) =>
    eventually(
      () => platform.database.client.taskRun.findFirst({ where: { id, finishedAt: { not: null } } }),
      `run ${id} is finished`,
    );
  const tick = () => tickOn(platform, worker.app.get(EnqueueRuns)).runOnce();
  /** As if its time to be looked at had come. */
  const makeOverdue = async (runId: string, at: Date) => {
    await platform.database.client.taskRun.update({ where: { id: runId }, data: { wakeAt: at } });
    await platform.database.client.runAlarm.updateMany({ where: { runId }, data: { at } });
  };
  /** A task due in this very second that never fires again by itself. */
  const dueTask = (task: object) => {
    const due = secondOf(platform.clock.now());
    const once = { cronExpr: '0 0 0 1 1 *', nextFireAt: due, ...task };
    return insertTask(platform.database, once).then((row) => ({
      ...row,
      runId: `${due.getTime() / 1000}-${row.id}`,
      due,
    }));
  };

  it('calls the target with the run in headers and body, and leaves run and attempt in the database', async () => {
    const task = await dueTask({
      targetUrl: `${target.url}/json?run={{run_id}}`,
      headersJson: { Authorization: 'Bearer hush', 'X-Task': '{{task_name}}' },
      bodyTemplate: '{"run":"{{run_id}}","at":"{{scheduled_time}}"}',
    });
    expect(await tick()).toEqual({ tasks: 1, runs: 1 });

    const run = await finished(task.runId);
    const [call] = target.calls;
    expect(target.calls).toHaveLength(1);
    expect(call).toMatchObject({ method: 'POST', url: `/json?run=${task.runId}`, runId: task.runId });
    expect(call.headers).toMatchObject({
      'x-task': task.name,
      'x-punctual-attempt': '1',
      authorization: 'Bearer hush',
    });
    expect(JSON.parse(call.body)).toEqual({ run: task.runId, at: task.due.toISOString() });
    expect(call.headers.traceparent).toContain(run.traceId);

    expect(run).toMatchObject({
      status: 'SUCCESS',
      trigger: 'CRON',
      attempt: 1,
      httpStatus: 200,
      result: { answer: 42 },
      wakeAt: null,
    });
    expect(run.scheduledTime).toEqual(task.due);
    const attempts = await platform.database.client.runAttempt.findMany({ where: { runId: run.id } });
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toMatchObject({ attempt: 1, execId: run.execId, outcome: 'SUCCESS', httpStatus: 200 });
    expect(JSON.stringify(attempts[0])).not.toContain('hush');
  });

  it('moves the schedule on and frees the slot again', async () => {
    const task = await dueTask({ targetUrl: `${target.url}/json` });
    await tick();
    await finished(task.runId);
    const after = await platform.database.client.taskState.findUniqueOrThrow({ where: { taskId: task.id } });
    expect(after.nextFireAt?.toISOString()).toBe(`${task.due.getUTCFullYear() + 1}-01-01T00:00:00.000Z`);
    expect(after).toMatchObject({ activeRuns: 0, queuedRuns: 0, lastRunId: task.runId });
  });

  it.each([
    ['a 503 is FAILED', '/refuse', 60, { status: 'FAILED', errorCode: 'HTTP_503', httpStatus: 503, result: 'busy' }],
    ['no answer in time is TIMEOUT', '/slow', 1, { status: 'TIMEOUT', errorCode: 'TIMEOUT', httpStatus: null }],
    [
      'a reply no JSON column can hold is kept as text',
      '/odd',
      60,
      { status: 'SUCCESS', result: '{"text":"a\\u0000b"}' },
    ],
  ])('%s', async (_title, path, timeoutSeconds, expected) => {
    const task = await dueTask({ targetUrl: `${target.url}${path}`, timeoutSeconds });
    await tick();
    expect(await finished(task.runId)).toMatchObject(expected);
  });

  it('a target nobody listens at is FAILED with what the network said', async () => {
    const task = await dueTask({ targetUrl: 'http://127.0.0.1:9/' });
    await tick();
    expect(await finished(task.runId)).toMatchObject({ status: 'FAILED', errorCode: 'NETWORK' });
  });

  it('a task whose stored template cannot be read fails its run and says so', async () => {
    const task = await dueTask({ targetUrl: `${target.url}/json`, bodyTemplate: '{{nobody_knows}}' });
    await tick();
    const run = await finished(task.runId);
    expect(run).toMatchObject({ status: 'FAILED', errorCode: 'INVALID_TASK' });
    expect(run.errorInfo).toContain('nobody_knows');
    expect(target.calls).toHaveLength(0);
  });

  it('a person decides about such a run, where the task wants one to', async () => {
    const fields = { targetUrl: `${target.url}/json`, bodyTemplate: '{{nobody_knows}}', needManual: true };
    const task = await dueTask(fields);
    await tick();
    const pending = () => platform.database.client.taskRun.findFirst({ where: { id: task.runId, status: 'PENDING' } });
    const run = await eventually(pending, 'it waits for a person');
    expect(run).toMatchObject({ errorCode: 'INVALID_TASK', attempt: 1 });
  });

  it('a second that has its run already is not run again', async () => {
    const task = await dueTask({ targetUrl: `${target.url}/json` });
    await tick();
    await finished(task.runId);
    await platform.database.client.taskState.update({ where: { taskId: task.id }, data: { nextFireAt: task.due } });
    await tick();
    const after = await platform.database.client.taskState.findUniqueOrThrow({ where: { taskId: task.id } });
    expect(after).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
    expect(target.calls).toHaveLength(1);
  });

  it('a task at its limit queues the next run, and the slot that frees releases it', async () => {
    const { opened, open } = gate();
    target.on('/held', { after: opened });
    const task = await dueTask({ targetUrl: `${target.url}/held`, timeoutSeconds: 60 });
    await tick();
    await target.waitFor(1);
    const next = new Date(task.due.getTime() + 1000);
    await platform.database.client.taskState.update({ where: { taskId: task.id }, data: { nextFireAt: next } });
    await eventually(() => Promise.resolve(platform.clock.now() >= next.getTime()), 'the next second');
    await tick();
    const second = await platform.database.client.taskRun.findUniqueOrThrow({
      where: { id: `${next.getTime() / 1000}-${task.id}` },
    });
    expect(second.status).toBe('QUEUED');
    open();
    expect(await finished(second.id)).toMatchObject({ status: 'SUCCESS' });
    const after = await platform.database.client.taskState.findUniqueOrThrow({ where: { taskId: task.id } });
    expect(after).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
    expect(target.calls).toHaveLength(2);
    expect(target.calls[1].startedAt).toBeGreaterThanOrEqual(target.calls[0].endedAt!);
  });

  it('runs the queue never heard of are brought by rescue', async () => {
    const task = await dueTask({ targetUrl: `${target.url}/json` });
    const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;
    await tickOn(platform, deaf).runOnce();
    await makeOverdue(task.runId, task.due);
    await worker.app.get(Rescue).runOnce();
    expect(await finished(task.runId)).toMatchObject({ status: 'SUCCESS' });
  });

  it('a run whose worker is gone is closed by rescue, and its late result changes nothing', async () => {
    const { opened, open } = gate();
    target.on('/held', { after: opened });
    const task = await dueTask({ targetUrl: `${target.url}/held`, timeoutSeconds: 60 });
    await tick();
    await target.waitFor(1);
    await makeOverdue(task.runId, task.due);
    await worker.app.get(Rescue).runOnce();
    const lost = await finished(task.runId);
    expect(lost).toMatchObject({ status: 'FAILED', errorCode: 'NODE_LOST' });
    open();
    await worker.app.get(RunPool).drained();
    const after = await platform.database.client.taskRun.findUniqueOrThrow({ where: { id: task.runId } });
    expect(after).toMatchObject({ status: 'FAILED', errorCode: 'NODE_LOST', finishedAt: lost.finishedAt });
  });
});
