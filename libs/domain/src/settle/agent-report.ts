import type { OnNodeLost } from '../task/words.js';
import type { Verdict } from './classify.js';

/** What an agent says about the execution it has the lease of. */
export type AgentReport =
  | { kind: 'complete'; result?: unknown }
  | {
      kind: 'fail';
      errorCode?: string;
      errorInfo?: string;
      /** Whether another attempt may help; true unless it is said. */
      retryable?: boolean;
      retryAfterSeconds?: number;
    };

/** The agent knows best whether it is worth another try: its word counts instead of `retry_on`. */
export function agentVerdict(report: AgentReport): Verdict {
  if (report.kind === 'complete') return { kind: 'success' };
  return {
    kind: 'failed',
    errorCode: report.errorCode ?? 'AGENT_FAILED',
    errorInfo: report.errorInfo ?? 'the agent reported a failure',
    retryable: report.retryable ?? true,
  };
}

/** What is known of a lease that has run out, in epoch milliseconds. */
export interface ExpiredLease {
  agent: string | null;
  attempt: number;
  /** Until when the attempt had to be over. */
  deadlineAt: number | null;
  /** RETRY unless it is said. */
  onNodeLost?: OnNodeLost;
}

/** An attempt that took too long is a timeout; one whose agent fell silent before is worth another try at once, if it may run twice. */
export function expiredVerdict({ agent, attempt, deadlineAt, onNodeLost }: ExpiredLease, now: number): Verdict {
  const who = `agent ${agent ?? ''}`;
  if (deadlineAt !== null && deadlineAt <= now) {
    return { kind: 'timeout', errorInfo: `${who} was not through with attempt ${attempt} in time` };
  }
  return {
    kind: 'failed',
    errorCode: 'LEASE_EXPIRED',
    errorInfo: `${who} gave no sign of life during attempt ${attempt}`,
    retryable: onNodeLost !== 'FAIL',
  };
}
