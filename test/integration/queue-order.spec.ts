import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EnqueueRuns } from '#pipeline';
import { eventually, insertTask, openStack, type RecordedCall, type Stack, TargetStub } from '#testing';
import { readyPlatform, type RunningWorker, startWorker, tickOn } from '../support/product.js';

const TICKS = 2_000;

describe('one task with max_concurrency 1 and QUEUE, on two workers', () => {
  let stack: Stack;
  let workers: RunningWorker[] = [];
  let target: TargetStub;
  let now = Date.parse('2026-01-05T10:00:00Z');

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await target?.close();
    await stack?.close();
  });

  it(`${TICKS} ticks reach the target in order, and never two at once`, async () => {
    const platform = await readyPlatform(stack);
    const { id } = await insertTask(platform.database, {
      ...{ targetUrl: target.url, maxConcurrency: 1, concurrencyPolicy: 'QUEUE', queueLimit: TICKS },
      ...{ catchUpMode: 'FULL', catchUpLimit: TICKS, nextFireAt: new Date(now) },
    });
    workers = await Promise.all([startWorker(stack), startWorker(stack)]);
    now += (TICKS - 1) * 1000;
    const clock = { now: () => now };
    const enqueue = workers[0].app.get(EnqueueRuns);
    await tickOn({ ...platform, clock } as typeof platform, enqueue, { catchUpChunk: TICKS }).runOnce();
    const began = performance.now();
    await target.waitFor(TICKS, 280_000);
    await eventually(async () => {
      const { activeRuns, queuedRuns } = await platform.database.client.taskState.findUniqueOrThrow({
        where: { taskId: id },
      });
      return activeRuns + queuedRuns === 0;
    }, 'all of them are closed');
    if (process.env.SHOW_TIMES) console.log(`${TICKS} runs in ${Math.round(performance.now() - began)} ms`);
    const expected = Array.from({ length: TICKS }, (_, i) => `${Date.parse('2026-01-05T10:00:00Z') / 1000 + i}-${id}`);
    expect(target.calls.map((call) => call.runId)).toEqual(expected);
    expect(overlapsOf(target.calls)).toEqual([]);
    await platform.close();
  }, 300_000);
});

/** Calls that came while the one before was still open. */
const overlapsOf = (calls: readonly RecordedCall[]): RecordedCall[] =>
  calls.filter(({ startedAt }, i) => i > 0 && startedAt < calls[i - 1].endedAt!);
