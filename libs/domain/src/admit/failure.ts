import type { RunStatus } from '../run/statuses.js';
import type { FailureAction } from '../task/words.js';

/** What a task remembers of its newest run that was executed and has ended. */
export interface FailureFacts {
  failureAction: FailureAction;
  /** The `tick_attempt` of that run if it failed. */
  failedTickAttempt: number | null;
  /** Whether a tick has been skipped for it already. */
  failureSkipped: boolean;
}

export interface EndedRun {
  id: string;
  status: RunStatus;
  tickAttempt: number;
}

const FAILED: readonly RunStatus[] = ['FAILED', 'TIMEOUT', 'CANCELED'];

/** Whether a run that was executed and ended like this is a failure to `failure_action`. */
export const failsTask = (status: RunStatus): boolean => FAILED.includes(status);

export const skipsForFailure = ({ failureAction, failedTickAttempt, failureSkipped }: FailureFacts): boolean =>
  failureAction === 'SKIP' && failedTickAttempt !== null && !failureSkipped;

/** The `tick_attempt` of a tick that runs: under SKIP the skipped tick counts as well. */
export function tickAttemptOf({ failureAction, failedTickAttempt }: FailureFacts): number {
  if (failedTickAttempt === null || failureAction === 'RUN_NEW') return 1;
  return failedTickAttempt + (failureAction === 'SKIP' ? 2 : 1);
}

/** The `tick_attempt` of a tick that is skipped. */
export const skippedTickAttempt = ({ failedTickAttempt }: FailureFacts): number =>
  failedTickAttempt === null ? 1 : failedTickAttempt + 1;

/** What the task remembers once runs have ended: the newest of them all, by the time they were scheduled for. */
export function rememberEnded(
  known: { lastEndedRunId: string | null; failedTickAttempt: number | null; failureSkipped: boolean },
  ended: readonly EndedRun[],
): typeof known {
  return ended.reduce((newest, run) => {
    // The same run again: a person had it retried.
    if (newest.lastEndedRunId !== null && run.id < newest.lastEndedRunId) return newest;
    const failedTickAttempt = failsTask(run.status) ? run.tickAttempt : null;
    return { lastEndedRunId: run.id, failedTickAttempt, failureSkipped: false };
  }, known);
}
