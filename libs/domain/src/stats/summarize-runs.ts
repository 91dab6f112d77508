import { FINAL_STATUSES, isFinal, type RunStatus, type RunTrigger } from '../run/statuses.js';

/** What a summary needs to know of a run. Times are epoch milliseconds. */
export interface RecentRun {
  status: RunStatus;
  trigger: RunTrigger;
  scheduledTime: number;
  startedAt: number | null;
  finishedAt: number | null;
}

export interface Lateness {
  /** How many runs it is about. */
  runs: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

export interface RunSummary {
  /** The due times the summary is about. */
  from: number;
  to: number;
  runs: number;
  /** False: there were more than could be looked at, and `from` is later than was asked for. */
  isComplete: boolean;
  finished: Record<string, number>;
  /** Of scheduled runs; null when none has started. */
  lateness: Lateness | null;
  finishedPerSecond: number;
  finishedPerSecondOfLastMinute: number;
}

const MINUTE_MS = 60_000;

/**
 * What has become of the newest runs that were due since `from`. `limit` is how many there could be at most: if there are that many,
 * the oldest of them is where the summary begins.
 */
export function summarizeRuns(runs: readonly RecentRun[], from: number, now: number, limit: number): RunSummary {
  const isComplete = runs.length < limit;
  const begins = isComplete ? from : Math.min(...runs.map((run) => run.scheduledTime));
  const finished = Object.fromEntries(FINAL_STATUSES.map((status) => [status, 0]));
  for (const { status } of runs) if (isFinal(status)) finished[status]++;
  const minute = Math.max(begins, now - MINUTE_MS);
  return {
    from: begins,
    to: now,
    runs: runs.length,
    isComplete,
    finished,
    lateness: latenessOf(runs),
    finishedPerSecond: perSecond(endedSince(runs, begins), now - begins),
    finishedPerSecondOfLastMinute: perSecond(endedSince(runs, minute), now - minute),
  };
}

const endedSince = (runs: readonly RecentRun[], since: number): number =>
  runs.filter(({ status, finishedAt }) => status !== 'SKIPPED' && finishedAt !== null && finishedAt >= since).length;

const perSecond = (count: number, ms: number): number => (ms <= 0 ? 0 : Math.round((count / ms) * 1e6) / 1e3);

function latenessOf(runs: readonly RecentRun[]): Lateness | null {
  const late = runs
    .flatMap(({ trigger, startedAt, scheduledTime }) =>
      trigger === 'CRON' && startedAt !== null ? [Math.max(0, startedAt - scheduledTime)] : [],
    )
    .sort((a, b) => a - b);
  if (late.length === 0) return null;
  const at = (part: number) => late[Math.min(late.length - 1, Math.ceil(part * late.length) - 1)];
  return { runs: late.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
