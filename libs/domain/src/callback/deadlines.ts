export interface CallbackLimits {
  callbackTimeoutSec: number;
  heartbeatTimeoutSec: number | null;
}

/** Epoch milliseconds. */
export interface Deadlines {
  /** Until when the attempt must be over. */
  deadlineAt: number;
  /** Until when it must have given a sign of life; null: it need not. */
  heartbeatDeadlineAt: number | null;
}

export function firstDeadlines(
  { callbackTimeoutSec, heartbeatTimeoutSec }: CallbackLimits,
  startedAt: number,
): Deadlines {
  return {
    deadlineAt: startedAt + callbackTimeoutSec * 1000,
    heartbeatDeadlineAt: heartbeatTimeoutSec === null ? null : startedAt + heartbeatTimeoutSec * 1000,
  };
}

export interface Expiry {
  errorCode: 'CALLBACK_TIMEOUT' | 'HEARTBEAT_TIMEOUT';
  errorInfo: string;
}

/** Which of the deadlines an attempt has let pass; null when there is still time. */
export function expiryOf(
  { deadlineAt, heartbeatDeadlineAt }: { deadlineAt: number | null; heartbeatDeadlineAt: number | null },
  now: number,
): Expiry | null {
  if (deadlineAt !== null && deadlineAt <= now) {
    const errorInfo = `no callback came until ${shown(deadlineAt)} (callback_timeout_sec)`;
    return { errorCode: 'CALLBACK_TIMEOUT', errorInfo };
  }
  if (heartbeatDeadlineAt !== null && heartbeatDeadlineAt <= now) {
    const errorInfo = `neither callback nor heartbeat came until ${shown(heartbeatDeadlineAt)} (heartbeat_timeout_sec)`;
    return { errorCode: 'HEARTBEAT_TIMEOUT', errorInfo };
  }
  return null;
}

const shown = (time: number): string => new Date(time).toISOString();
