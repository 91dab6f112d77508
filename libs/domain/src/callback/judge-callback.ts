import type { RunStatus } from '../run/statuses.js';

export interface CallbackFacts {
  /** The run as it stands. */
  status: RunStatus;
  execId: string | null;
  /** The attempt the token belongs to, and the hash of what its first callback said. */
  attempt: { execId: string; outcomeHash: string | null };
}

export type CallbackVerdict = 'close' | 'duplicate' | 'conflict' | 'late';

/**
 * What a callback with a good token is: the outcome of its attempt, the same once more, another one, or too late. It may
 * come before the target has answered the call that started it.
 */
export function judgeCallback({ status, execId, attempt }: CallbackFacts, outcomeHash: string): CallbackVerdict {
  if (attempt.outcomeHash !== null) return attempt.outcomeHash === outcomeHash ? 'duplicate' : 'conflict';
  const isOpen = status === 'RUNNING' || status === 'WAITING_CALLBACK';
  return isOpen && execId === attempt.execId ? 'close' : 'late';
}
