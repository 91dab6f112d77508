import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { EnqueueRuns } from '#pipeline';
import { insertTask, openStack, type Stack } from '#testing';
import { type RunningApi, startApi } from '../support/api.js';

interface Answer {
  open: Record<string, number>;
  at_least: string[];
  finished: Record<string, number>;
  window: { from: string; to: string; runs: number; complete: boolean };
  lateness_ms: Record<string, number> | null;
  throughput: Record<string, number>;
  queues: Record<string, Record<string, number>> | null;
}

describe('GET /stats', () => {
  let stack: Stack;
  let api: RunningApi;
  let taskId: bigint;
  let now: number;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
    ({ id: taskId } = await insertTask(api.platform.database));
    now = Math.floor(api.platform.clock.now() / 1000) * 1000;
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  /** A new API: an answer serves for five seconds. */
  async function statsNow(): Promise<Answer> {
    const other = await startApi(stack);
    try {
      const { status, data } = await other.http.get<Answer>('/stats');
      expect(status).toBe(200);
      return data;
    } finally {
      await other.stop();
    }
  }

  let count = 0;
  async function insertRun(status: string, fields: { dueAgo?: number; late?: number; tenantId?: string } = {}) {
    const { dueAgo = 60_000, late = 100, tenantId = 'default' } = fields;
    const due = now - dueAgo;
    const isOver = ['SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUALLY_PROCESSED'].includes(status);
    const isAwake = ['SCHEDULED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING'].includes(status);
    const id = `${due / 1000}-${taskId}-${String(++count).padStart(4, '0')}`;
    const { client } = api.platform.database;
    await client.taskRun.create({
      data: {
        ...{ id, tenantId, taskId, taskName: 't', trigger: 'CRON', status, traceId: 'f'.repeat(32) },
        skipReason: status === 'SKIPPED' ? 'OVERLAP' : null,
        scheduledTime: new Date(due),
        startedAt: status === 'SKIPPED' || status === 'SCHEDULED' ? null : new Date(due + late),
        finishedAt: isOver ? new Date(due + late + 500) : null,
        wakeAt: isAwake ? new Date(now + 60_000) : null,
        ...(['RUNNING', 'WAITING_CALLBACK'].includes(status) ? { execId: randomUUID(), node: 'n', attempt: 1 } : {}),
      },
    });
    if (isAwake) await client.runAlarm.create({ data: { at: new Date(now + 60_000), runId: id, tenantId } });
  }

  it('of nothing is zeros, and says what it covers', async () => {
    const stats = await statsNow();
    expect(stats).toMatchObject({ at_least: [], lateness_ms: null, window: { runs: 0, complete: true } });
    expect(stats.open).toEqual({
      ...{ SCHEDULED: 0, RUNNING: 0, QUEUED: 0, WAITING_CALLBACK: 0, RETRYING: 0, COMPLETED: 0, PENDING: 0, ahead: 0 },
    });
    expect(Date.parse(stats.window.to) - Date.parse(stats.window.from)).toBe(3_600_000);
  });

  it('counts what is open however old it is, and what is over in the last hour, of one tenant', async () => {
    const day = 86_400_000;
    for (const status of ['PENDING', 'QUEUED', 'WAITING_CALLBACK', 'RUNNING', 'SCHEDULED', 'FAILED', 'SUCCESS'])
      await insertRun(status, { dueAgo: day });
    for (const late of [10, 20, 30, 4_000]) await insertRun('SUCCESS', { late });
    for (const status of ['FAILED', 'SKIPPED', 'RUNNING', 'RETRYING']) await insertRun(status);
    for (const status of ['SUCCESS', 'RUNNING', 'PENDING']) await insertRun(status, { tenantId: 'another' });
    const ahead = { start_time: new Date(now + 3_600_000).toISOString() };
    expect((await api.http.post(`/tasks/${taskId}/runs`, ahead)).status).toBe(202);

    const stats = await statsNow();
    expect(stats.open).toEqual({
      ...{ SCHEDULED: 1, RUNNING: 2, QUEUED: 1, WAITING_CALLBACK: 1, RETRYING: 1, COMPLETED: 0, PENDING: 1, ahead: 1 },
    });
    expect(stats.finished).toEqual({
      ...{ SUCCESS: 4, FAILED: 1, TIMEOUT: 0, CANCELED: 0, SKIPPED: 1, MANUALLY_PROCESSED: 0 },
    });
    expect(stats.window).toMatchObject({ runs: 8, complete: true });
    // Four that went well, and three more that have started, 100 ms late each.
    expect(stats.lateness_ms).toEqual({ p50: 100, p90: 4_000, p99: 4_000, max: 4_000, runs: 7 });
    expect(stats.throughput.finished_per_second).toBeCloseTo(5 / 3600, 2);
  });

  it('tells how deep the queues are', async () => {
    const at = api.platform.clock.now() + 600_000;
    await api.app.get(EnqueueRuns).add([{ id: '1-1', priority: 0, dueAt: at }]);
    const { queues } = await statsNow();
    expect(Object.keys(queues ?? {})).toEqual(['runs', 'commands', 'notices']);
    expect(queues?.runs).toEqual({ waiting: 0, delayed: 1, active: 0, oldest_seconds: 0 });
  });

  it('is worked out once for all who ask within five seconds', async () => {
    const other = await startApi(stack);
    try {
      const [first, second] = await Promise.all([other.http.get('/stats'), other.http.get('/stats')]);
      await insertRun('PENDING');
      const third = await other.http.get('/stats');
      expect([second.data, third.data]).toEqual([first.data, first.data]);
    } finally {
      await other.stop();
    }
  });
});
