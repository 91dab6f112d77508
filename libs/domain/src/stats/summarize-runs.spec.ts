import { describe, expect, it } from '@jest/globals';
import { type RecentRun, summarizeRuns } from './summarize-runs.js';

const NOW = 10_000_000;
const HOUR = 3_600_000;
const run = (fields: Partial<RecentRun> = {}): RecentRun => ({
  ...{
    status: 'SUCCESS',
    trigger: 'CRON',
    scheduledTime: NOW - 5_000,
    startedAt: NOW - 4_900,
    finishedAt: NOW - 4_000,
  },
  ...fields,
});

describe('a summary of recent runs', () => {
  it('of none says so', () => {
    expect(summarizeRuns([], NOW - HOUR, NOW, 100)).toEqual({
      ...{ from: NOW - HOUR, to: NOW, runs: 0, isComplete: true, lateness: null },
      ...{ finishedPerSecond: 0, finishedPerSecondOfLastMinute: 0 },
      finished: { SUCCESS: 0, FAILED: 0, TIMEOUT: 0, CANCELED: 0, SKIPPED: 0, MANUALLY_PROCESSED: 0 },
    });
  });

  it('counts those that have ended by their status, and no others', () => {
    const runs = [run(), run(), run({ status: 'FAILED' }), run({ status: 'RUNNING', finishedAt: null })];
    expect(summarizeRuns(runs, NOW - HOUR, NOW, 100).finished).toMatchObject({ SUCCESS: 2, FAILED: 1, TIMEOUT: 0 });
  });

  it('knows how late scheduled runs began; others are not late', () => {
    const runs = Array.from({ length: 100 }, (_, i) => run({ startedAt: NOW - 5_000 + i + 1 }));
    const others = [run({ trigger: 'API', startedAt: NOW }), run({ startedAt: null }), run({ startedAt: NOW - 5_001 })];
    const { lateness } = summarizeRuns([...runs, ...others], NOW - HOUR, NOW, 1_000);
    expect(lateness).toEqual({ runs: 101, p50: 50, p90: 90, p99: 99, max: 100 });
  });

  it('of a single run is that run', () => {
    const { lateness } = summarizeRuns([run()], NOW - HOUR, NOW, 100);
    expect(lateness).toEqual({ runs: 1, p50: 100, p90: 100, p99: 100, max: 100 });
  });

  it('tells how many end in a second: in all of its time, and in the last minute; what was skipped has not run', () => {
    const old = Array.from({ length: 300 }, () => run({ finishedAt: NOW - 120_000 }));
    const fresh = Array.from({ length: 60 }, () => run());
    const summary = summarizeRuns([...old, ...fresh, run({ status: 'SKIPPED' })], NOW - HOUR, NOW, 1_000);
    expect([summary.finishedPerSecond, summary.finishedPerSecondOfLastMinute]).toEqual([0.1, 1]);
  });

  it('is about less time when there were more than could be looked at', () => {
    const runs = [run({ scheduledTime: NOW - 1_000 }), run({ scheduledTime: NOW - 20_000, finishedAt: NOW - 19_000 })];
    expect(summarizeRuns(runs, NOW - HOUR, NOW, 2)).toMatchObject({
      ...{ from: NOW - 20_000, isComplete: false, finishedPerSecond: 0.1, finishedPerSecondOfLastMinute: 0.1 },
    });
  });
});
