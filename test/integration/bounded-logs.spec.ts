import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { days, OldRuns, retentionOn } from '../support/old-runs.js';
import { type RunningWorker, startWorker } from '../support/product.js';

interface Shown {
  status: string;
  attempt: number;
  attempts: { attempt: number }[];
}

describe('logs of attempts', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let old: OldRuns;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/refuse', { status: 503 });
    worker = await startWorker(stack, { RETENTION_ATTEMPTS_PER_RUN: '3', OUTBOUND_ALLOW: '127.0.0.1' });
    api = await startApi(stack);
    old = new OldRuns(api.platform);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const withAttempts = async (ids: readonly string[]) => {
    const where = { runId: { in: [...ids] } };
    const rows = await api.platform.database.client.runAttempt.findMany({ where, orderBy: { runId: 'asc' } });
    return rows.map(({ runId }) => runId);
  };

  it('a run keeps its first attempt and the newest ones, however often it is tried', async () => {
    const retry = { strategy: 'sequence', sequence_seconds: [0], max_attempts: 7 };
    const body = taskBody({ target_url: `${target.url}/refuse`, retry_policy_json: retry });
    const { id: taskId } = (await api.http.post<{ id: string }>('/tasks', body)).data;
    const { id } = (await api.http.post<{ id: string }>(`/tasks/${taskId}/runs`)).data;
    const run = await eventually(
      async () => {
        const { data } = await api.http.get<Shown>(`/runs/${id}`);
        return data.status === 'FAILED' && data.attempts.length <= 3 && data;
      },
      () => 'the run has failed for good',
    );
    expect(run.attempt).toBe(7);
    expect(run.attempts.map(({ attempt }) => attempt)).toEqual([1, 6, 7]);
  });

  it('a task keeps the attempts of its newest runs, archived or not; older runs stay without', async () => {
    const { id, name } = (await api.http.post<{ id: string; name: string }>('/tasks', taskBody())).data;
    const write = async (daysAgo: number) => {
      const run = await old.write({ id, name }, daysAgo);
      await old.attempt(run);
      return run;
    };
    const runs: string[] = [];
    for (let i = 0; i < 10; i++) runs.push(await write(20 - i));
    const later = new Date(Date.now() + days(9));
    await old.write({ id, name }, -9, { status: 'SCHEDULED', scheduledTime: later, startedAt: null });
    await retentionOn(api.platform, { archiveAfterMs: days(12.5) }).runOnce();
    expect((await old.places(runs)).archived).toEqual(runs.slice(0, 8));
    const retention = retentionOn(api.platform, { logsPerTask: 4 });
    expect(await retention.runOnce()).toMatchObject({ logs: 6 });
    expect(await withAttempts(runs)).toEqual(runs.slice(6));
    expect(await retention.runOnce()).toMatchObject({ logs: 0 });
    runs.push(await write(8), await write(7));
    expect(await retention.runOnce()).toMatchObject({ logs: 2 });
    expect(await withAttempts(runs)).toEqual(runs.slice(8));
    const { live, archived } = await old.places(runs);
    expect(live.length + archived.length).toBe(12);
  });
});
