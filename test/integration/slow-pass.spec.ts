import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '#database';
import { AdmitRuns, type EnqueueRuns, type Platform } from '#pipeline';
import { insertTask, openStack, type Stack } from '#testing';
import { readyPlatform, tickOn } from '../support/product.js';

const T = Date.parse('2026-01-05T10:00:00Z');
const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;

describe('a pass of the tick that takes seconds', () => {
  let stack: Stack;
  let platform: Platform;

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  const clockAt = (...times: number[]) => ({ now: () => (times.length > 1 ? times.shift()! : times[0]) });
  const tick = (...times: number[]) =>
    tickOn({ ...platform, clock: clockAt(...times) } as unknown as Platform, deaf, { graceSeconds: 3 }).runOnce();
  const client = () => platform.database.client;

  it('replaces what was admitted while it was under way, and counts it right', async () => {
    const { id: taskId } = await insertTask(platform.database, {
      ...{ name: 'replacing', cronExpr: '0 * * * * *', nextFireAt: new Date(T), overlapAction: 'CANCEL_PREV' },
    });
    const demands = new AdmitRuns(platform.database, clockAt(T + 4_000), deaf);
    const order = { taskId, trigger: 'API' as const, traceId: 'x' };
    for (const status of ['SCHEDULED', 'QUEUED']) {
      const [run] = await inTransaction(platform.database, (session) => demands.admit(session, 'default', [order]));
      expect(run).toMatchObject({ status });
    }
    await tick(T + 100, T + 5_000);
    const runs = await client().taskRun.findMany({ where: { taskId }, orderBy: { id: 'asc' } });
    expect(runs.map((run) => run.status)).toEqual(['SCHEDULED', 'CANCELED', 'CANCELED']);
    expect(runs[0].queuedAt).toEqual(new Date(T + 5_000));
    expect(await client().taskState.findUnique({ where: { taskId } })).toMatchObject({ activeRuns: 1, queuedRuns: 0 });
  });

  it('misses nothing that was due in time when it began', async () => {
    const { id: taskId } = await insertTask(platform.database, {
      ...{ name: 'late', cronExpr: '0 * * * * *', nextFireAt: new Date(T), maxConcurrency: 0 },
    });
    await tick(T + 100, T + 30_000);
    expect(await client().taskRun.findMany({ where: { taskId } })).toMatchObject([{ status: 'SCHEDULED' }]);
  });
});
