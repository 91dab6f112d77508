import type { RunStatus } from '../run/statuses.js';
import type { Notify, NotifySecurity } from '../task/definition.js';
import type { NotifyMethod } from '../task/words.js';

/** `success` and `error` go to the team of a task, `alert` to whoever runs the deployment. */
export const NOTICE_KINDS = ['success', 'error', 'alert'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Where a task's notices go, and whether they are signed; with what is nobody's business but the sender's. */
export type NotifyTargets = Pick<Notify, 'success' | 'error'> & { security?: Pick<NotifySecurity, 'type'> };

export interface Notice {
  kind: 'success' | 'error';
  url: string;
  method: NotifyMethod;
  /** It was promised with a signature. */
  signed?: true;
}

const TOLD: Partial<Record<RunStatus, Notice['kind']>> = {
  SUCCESS: 'success',
  FAILED: 'error',
  TIMEOUT: 'error',
  PENDING: 'error',
  CANCELED: 'error',
};

/** What the team is told of a run that comes to this; nothing of a SKIPPED one, which never ran. */
export function noticeOf(notify: NotifyTargets | null, status: RunStatus): Notice | null {
  const kind = notify === null ? undefined : TOLD[status];
  const target = kind && notify?.[kind];
  if (!kind || !target) return null;
  const signed = notify?.security?.type === 'aksk' ? ({ signed: true } as const) : {};
  return { kind, url: target.url, method: target.method ?? 'POST', ...signed };
}

/** A success is COMPLETED until the team has acknowledged it, if it asked to be told. */
export function statusUntilTold<Status extends RunStatus>(
  notify: NotifyTargets | null,
  status: Status,
): Status | 'COMPLETED' {
  return status === 'SUCCESS' && notify?.success ? 'COMPLETED' : status;
}
