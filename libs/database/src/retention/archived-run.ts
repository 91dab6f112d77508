import type { RunArchive, TaskRun } from '../generated/postgresql/client.js';

/** A run as it is read, wherever it is kept. */
export type AnyRun = TaskRun & { archivedAt?: Date };

/** What an archived run does not have any more is what no run has that ended well. */
export function archivedRun(row: RunArchive): AnyRun {
  const over = { startBefore: null, attemptStartedAt: null, wakeAt: null };
  const nothing = { skipReason: null, attention: null, blockedBy: null, ...over };
  return { ...row, ...nothing };
}
