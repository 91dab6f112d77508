import { type RunStatus, UNFINISHED_STATUSES } from '../run/statuses.js';

export interface BackfillCounts {
  succeeded: number;
  failed: number;
  canceled: number;
  /** Runs that were not finished when they were last looked at. */
  openRuns: string[];
}

const SUCCEEDED: readonly RunStatus[] = ['SUCCESS', 'COMPLETED', 'MANUALLY_PROCESSED'];

/** Takes the runs that are finished by now out of the open ones, and counts how they ended. A row that is gone failed. */
export function countOpenRuns(counts: BackfillCounts, states: ReadonlyMap<string, RunStatus>): BackfillCounts {
  const endings = counts.openRuns.map((id) => endingOf(states.get(id)));
  const count = (ending: string) => endings.filter((one) => one === ending).length;
  return {
    succeeded: counts.succeeded + count('succeeded'),
    failed: counts.failed + count('failed'),
    canceled: counts.canceled + count('canceled'),
    openRuns: counts.openRuns.filter((_, i) => endings[i] === 'open'),
  };
}

function endingOf(status: RunStatus | undefined): 'open' | 'succeeded' | 'failed' | 'canceled' {
  if (status === undefined) return 'failed';
  if ((UNFINISHED_STATUSES as readonly RunStatus[]).includes(status)) return 'open';
  if (status === 'CANCELED') return 'canceled';
  return SUCCEEDED.includes(status) ? 'succeeded' : 'failed';
}
