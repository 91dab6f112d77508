import type { OpenRuns } from '#database';
import type { RunSummary } from '#domain';
import type { QueueDepth } from '#queue';
import type { StatsView } from './stats.view.js';

export function presentStats(
  open: OpenRuns,
  summary: RunSummary,
  queues: Record<string, QueueDepth> | null,
): StatsView {
  const { lateness } = summary;
  return {
    at: new Date(summary.to).toISOString(),
    open: { ...open.counts, ahead: open.ahead },
    at_least: open.atLeast,
    finished: summary.finished,
    window: {
      from: new Date(summary.from).toISOString(),
      to: new Date(summary.to).toISOString(),
      runs: summary.runs,
      complete: summary.isComplete,
    },
    lateness_ms: lateness && { ...rounded(lateness), runs: lateness.runs },
    throughput: {
      finished_per_second: summary.finishedPerSecond,
      last_minute_per_second: summary.finishedPerSecondOfLastMinute,
    },
    queues: queues && Object.fromEntries(Object.entries(queues).map(([name, depth]) => [name, presentDepth(depth)])),
  };
}

const rounded = ({ p50, p90, p99, max }: NonNullable<RunSummary['lateness']>) => ({
  ...{ p50: Math.round(p50), p90: Math.round(p90), p99: Math.round(p99), max: Math.round(max) },
});

const presentDepth = ({ oldestSeconds, ...counts }: QueueDepth) => ({
  ...counts,
  oldest_seconds: Math.round(oldestSeconds * 1000) / 1000,
});
