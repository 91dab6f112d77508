import { type Database, dropAttempts, type Settlement } from '#database';
import { attemptsToDrop } from '#domain';
import type { Logger } from 'pino';

/**
 * Keeps the logs of runs that are tried very often from growing. Apart from the settlement: most have nothing to drop, and what
 * cannot be dropped now goes with the next attempt.
 */
export async function boundLogs(
  { database, log, kept }: { database: Database; log: Logger; kept: number },
  settlements: readonly Settlement[],
  settled: ReadonlySet<string>,
): Promise<void> {
  const dropped = attemptsToDrop(settlements, kept).filter(({ runId }) => settled.has(runId));
  if (dropped.length === 0) return;
  await dropAttempts(database, dropped).catch((error: unknown) => {
    log.warn(
      { err: error, run_id: dropped[0].runId, runs: dropped.length },
      'attempts were not dropped from a long log',
    );
  });
}
