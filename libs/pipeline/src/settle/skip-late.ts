import { type Database, skipLateRuns } from '#database';
import type { AlertRules, RunTrigger } from '#domain';
import type { Logger } from 'pino';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';

interface Parts {
  database: Database;
  enqueue: EnqueueRuns;
  log: Logger;
  metrics: PipelineMetrics;
  alerts: AlertRules | null;
}

/** Closes those of the runs that may not start any more, and tells the queue of the runs that take their slots. */
export async function skipLate(
  { database, enqueue, log, metrics, alerts }: Parts,
  ids: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, RunTrigger>> {
  if (ids.length === 0) return new Map();
  const { late, released } = await skipLateRuns(database, ids, now, alerts);
  metrics.skippedLate([...late.values()]);
  for (const id of late.keys()) log.info({ run_id: id }, 'a run was too late to start');
  await enqueue.add(released);
  return late;
}
