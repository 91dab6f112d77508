import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EnqueueRuns, PLATFORM, type Platform } from '#pipeline';
import { eventually, insertTask, openStack, type RecordedCall, type Stack, TargetStub } from '#testing';
import { readyPlatform, type RunningWorker, startWorker, tickOn } from '../support/product.js';

const TICKS = 2_000;
const FIRST = Date.parse('2026-01-05T10:00:00Z');
const LAST = FIRST + (TICKS - 1) * 1000;
/** Each run waits for the one before: settled, released, dispatched, claimed. On a busy machine that takes its time. */
const PATIENCE_MS = 600_000;

describe('one task with max_concurrency 1 and QUEUE, on two workers', () => {
  let stack: Stack;
  let platform: Platform;
  let workers: RunningWorker[] = [];
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    platform = await readyPlatform(stack);
    workers = await Promise.all([startWorker(stack), startWorker(stack)]);
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await platform?.close();
    await target?.close();
    await stack?.close();
  });

  /** All of them at once: FULL brings back what was due since the first. */
  const tickAtTheLast = () => {
    const late = { ...platform, clock: { now: () => LAST } } as Platform;
    return tickOn(late, workers[0].app.get(EnqueueRuns), { catchUpChunk: TICKS }).runOnce();
  };
  const isDone = async (taskId: bigint) => {
    const state = await platform.database.client.taskState.findUniqueOrThrow({ where: { taskId } });
    return state.activeRuns + state.queuedRuns === 0;
  };
  /** Who executed how many. */
  const sharesOf = async (taskId: bigint) => {
    const { taskRun } = platform.database.client;
    const shares = await taskRun.groupBy({ by: ['node'], where: { taskId }, _count: true });
    return new Map(shares.map(({ node, _count }) => [node, _count]));
  };

  it(
    `${TICKS} ticks reach the target in order, and never two at once`,
    async () => {
      const { id } = await insertTask(platform.database, {
        ...{ targetUrl: target.url, maxConcurrency: 1, concurrencyPolicy: 'QUEUE', queueLimit: TICKS },
        ...{ catchUpMode: 'FULL', catchUpLimit: TICKS, nextFireAt: new Date(FIRST) },
      });
      // Long enough for two at once to show.
      target.on('*', { delayMs: 2 });
      await tickAtTheLast();
      await target.waitFor(TICKS, PATIENCE_MS);
      await eventually(() => isDone(id), 'all of them are closed');
      const wanted = Array.from({ length: TICKS }, (_, i) => `${FIRST / 1000 + i}-${id}`);
      expect(target.calls.map((call) => call.runId)).toEqual(wanted);
      expect(overlapsOf(target.calls)).toEqual([]);
      const shares = await sharesOf(id);
      // Both took part: the order is not that of one worker's own line.
      const nodes = workers.map(({ app }) => app.get<Platform>(PLATFORM).node);
      expect([...shares.keys()].sort()).toEqual(nodes.sort());
    },
    PATIENCE_MS + 60_000,
  );
});

/** Calls that came while the one before was still open. */
const overlapsOf = (calls: readonly RecordedCall[]): RecordedCall[] =>
  calls.filter(({ startedAt }, i) => i > 0 && startedAt < calls[i - 1].endedAt!);
