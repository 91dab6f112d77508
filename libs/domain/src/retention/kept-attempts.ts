/** Attempts of a run that are dropped from its log: from the second on, up to and including this one. */
export interface DroppedAttempts {
  runId: string;
  upTo: number;
}

/** Once a run has had more than `kept` attempts, its first and its newest ones stay. Zero keeps all. */
export function attemptsToDrop(runs: readonly { runId: string; attempt: number }[], kept: number): DroppedAttempts[] {
  if (kept === 0) return [];
  return runs
    .filter(({ attempt }) => attempt > kept)
    .map(({ runId, attempt }) => ({ runId, upTo: attempt - Math.max(1, kept - 1) }));
}
