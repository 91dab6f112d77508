import type { ServerConfig } from '#config';
import type { RetentionAges } from '#domain';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What the deployment keeps, and for how long; null and zero: for ever, all of it. */
export interface RetentionPolicy extends RetentionAges {
  backfillsAfterMs: number | null;
  /** Of how many of its newest runs a task keeps the attempts. */
  logsPerTask: number;
}

const age = (count: number, unit: number): number | null => (count === 0 ? null : count * unit);

export function retentionPolicy(config: ServerConfig): RetentionPolicy {
  return {
    archiveAfterMs: age(config.retentionArchiveAfterHours, HOUR_MS),
    deleteAfterMs: {
      SUCCESS: age(config.retentionSuccessDays, DAY_MS),
      MANUALLY_PROCESSED: age(config.retentionManuallyProcessedDays, DAY_MS),
      FAILED: age(config.retentionFailedDays, DAY_MS),
      TIMEOUT: age(config.retentionTimeoutDays, DAY_MS),
      CANCELED: age(config.retentionCanceledDays, DAY_MS),
      SKIPPED: age(config.retentionSkippedDays, DAY_MS),
    },
    backfillsAfterMs: age(config.retentionBackfillDays, DAY_MS),
    logsPerTask: config.retentionLogsPerTask,
  };
}
