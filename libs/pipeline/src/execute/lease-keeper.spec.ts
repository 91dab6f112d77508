import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClaimedRun, Database } from '#database';
import type { Logger } from 'pino';
import { LeaseKeeper } from './lease-keeper.js';
import { LiveExecutions } from './live-executions.js';

const LEASE_MS = 9_000;
/** What a statement may take. */
const STATEMENT_MS = 5_000;
const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;

describe('a worker that keeps its leases', () => {
  let live: LiveExecutions;
  let keeper: LeaseKeeper;
  let kept: number;
  /** What the database does about a question. */
  let answer: () => Promise<void>;

  beforeEach(() => {
    jest.useFakeTimers();
    live = new LiveExecutions(log);
    kept = 0;
    answer = () => Promise.resolve();
    const pool = {
      held: () => live.list(),
      leasesOlderThan: (ms: number) => live.listLeases(ms),
      prolong: (...given: Parameters<LiveExecutions['prolong']>) => live.prolong(...given),
      abort: (...given: Parameters<LiveExecutions['abort']>) => live.abort(...given),
      disown: (...given: Parameters<LiveExecutions['disown']>) => live.disown(...given),
    };
    const driver = {
      rows: (_statement: unknown, json: string) => answer().then(() => executionsIn(json)),
      run: (_statement: unknown, json: string) =>
        answer().then(() => {
          kept++;
          return executionsIn(json).length;
        }),
    };
    const clock = { now: () => Date.now() };
    keeper = new LeaseKeeper({ driver } as unknown as Database, clock, pool, { leaseMs: LEASE_MS }, log);
    keeper.start();
  });

  afterEach(async () => {
    answer = () => Promise.resolve();
    const stopped = keeper.stop();
    await pass(STATEMENT_MS);
    await stopped;
    jest.useRealTimers();
  });

  const executionsIn = (json: string) => JSON.parse(json) as { id: string; exec_id: string }[];
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  /** Begins a call; tells when it was broken off. */
  const call = () => {
    const seen: { abortedAt?: number } = {};
    const id = String(live.size);
    live.add({ id, execId: id } as ClaimedRun).abortable(() => (seen.abortedAt = performance.now()));
    return seen;
  };
  const AWAY: [string, () => Promise<void>][] = [
    ['refuses', () => Promise.reject(new Error('away'))],
    ['keeps silent', () => new Promise<void>((_, reject) => setTimeout(reject, STATEMENT_MS))],
  ];

  it('prolongs them three times per lease, and breaks nothing off', async () => {
    await pass(1);
    const long = call();
    await pass(LEASE_MS * 3);
    expect(kept).toBe(9);
    expect(long.abortedAt).toBeUndefined();
  });

  it.each(AWAY)('breaks a call off when the database %s for a whole lease, and not before', async (_title, away) => {
    const long = call();
    await pass(1);
    answer = away;
    await pass(LEASE_MS - 300);
    expect(long.abortedAt).toBeUndefined();
    await pass(300);
    expect(long.abortedAt).toBeDefined();
  });

  it.each(AWAY)('gives what was claimed later a lease of its own, though the database %s', async (_title, away) => {
    await pass(1);
    answer = away;
    await pass(LEASE_MS / 2);
    const later = call();
    const claimedAt = performance.now();
    await pass(LEASE_MS * 2);
    // Never later: by then it may be another worker's.
    expect(later.abortedAt! - claimedAt).toBeLessThanOrEqual(LEASE_MS);
    expect(later.abortedAt! - claimedAt).toBeGreaterThan(LEASE_MS - 250);
  });

  it.each(AWAY)(
    'lets a call go on that was claimed when the database, which %s, was just back',
    async (_title, away) => {
      const long = call();
      await pass(1);
      answer = away;
      await pass(LEASE_MS * 1.5);
      expect(long.abortedAt).toBeDefined();
      answer = () => Promise.resolve();
      const next = call();
      await pass(LEASE_MS * 10);
      expect(next.abortedAt).toBeUndefined();
    },
  );
});
