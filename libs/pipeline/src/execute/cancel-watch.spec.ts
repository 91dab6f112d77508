import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClaimedRun, Database, Execution } from '#database';
import type { Logger } from 'pino';
import { CancelWatch } from './cancel-watch.js';
import { LiveExecutions } from './live-executions.js';

const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;

describe('CancelWatch', () => {
  let live: LiveExecutions;
  let watch: CancelWatch;
  let cancelled: Set<string>;
  let asked: number[];

  beforeEach(() => {
    jest.useFakeTimers();
    cancelled = new Set();
    asked = [];
    live = new LiveExecutions(log);
    const pool = { held: (ms?: number) => live.list(ms), disown: (some: readonly Execution[]) => live.disown(some) };
    watch = new CancelWatch({ driver: { rows } } as unknown as Database, pool, log);
    watch.start();
  });

  afterEach(async () => {
    await watch.stop();
    jest.useRealTimers();
  });

  /** The database: which of the executions asked about are still RUNNING. */
  const rows = (_statement: unknown, json: string) => {
    const executions = JSON.parse(json) as { exec_id: string }[];
    asked.push(executions.length);
    return Promise.resolve(executions.filter(({ exec_id }) => !cancelled.has(exec_id)));
  };
  /** Begins a call; its end is when it is broken off. */
  const call = (execId: string) => {
    const run = { id: execId, execId } as ClaimedRun;
    const seen: { abortedAt?: number } = {};
    live.add(run).abortable(() => (seen.abortedAt = performance.now()));
    return seen;
  };

  it.each([0, 1, 50, 299, 300, 301, 399, 400, 401, 700, 799, 1_100, 5_000])(
    'breaks off a call that is cancelled %d ms after its start within a second, whenever it began',
    async (age) => {
      for (let start = 0; start < 400; start += 25) {
        await jest.advanceTimersByTimeAsync(start);
        const execId = `${age}-${start}`;
        const seen = call(execId);
        await jest.advanceTimersByTimeAsync(age);
        const cancelledAt = performance.now();
        cancelled.add(execId);
        await jest.advanceTimersByTimeAsync(1_000);
        expect(seen.abortedAt! - cancelledAt).toBeLessThan(900);
      }
    },
  );

  it('lets the others go on', async () => {
    const [one, other] = [call('one'), call('other')];
    cancelled.add('one');
    await jest.advanceTimersByTimeAsync(1_000);
    expect([one.abortedAt, other.abortedAt]).toEqual([expect.any(Number), undefined]);
  });

  it('asks about all of them at once, and not at all while calls are short', async () => {
    await jest.advanceTimersByTimeAsync(5_000);
    expect(asked).toEqual([]);
    for (const execId of ['a', 'b', 'c']) call(execId);
    await jest.advanceTimersByTimeAsync(700);
    expect(asked).toEqual([3]);
  });
});
