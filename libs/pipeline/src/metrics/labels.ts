import type { NewRun, Settlement } from '#database';
import { SKIP_REASONS, type SkipReason } from '#domain';

type SkipVerdict<Reason> = Reason extends 'MISSED'
  ? 'missed'
  : Reason extends string
    ? `skip_${Lowercase<Reason>}`
    : never;
export type TickVerdict = 'run' | 'queue' | SkipVerdict<SkipReason>;

const skipVerdict = (reason: SkipReason) =>
  (reason === 'MISSED' ? 'missed' : `skip_${reason.toLowerCase()}`) as TickVerdict;

const SKIP_VERDICTS = Object.fromEntries(SKIP_REASONS.map((reason) => [reason, skipVerdict(reason)])) as Record<
  SkipReason,
  TickVerdict
>;

export const TICK_VERDICTS: readonly TickVerdict[] = ['run', 'queue', ...Object.values(SKIP_VERDICTS)];

export function verdictOf({ status, skipReason }: Pick<NewRun, 'status' | 'skipReason'>): TickVerdict {
  if (skipReason !== null) return SKIP_VERDICTS[skipReason];
  return status === 'QUEUED' ? 'queue' : 'run';
}

export type SettledStatus = Settlement['status'];

/** Every status a settlement may give; the type says when one is forgotten. */
const SETTLED: Record<SettledStatus, true> = {
  SUCCESS: true,
  FAILED: true,
  TIMEOUT: true,
  CANCELED: true,
  RETRYING: true,
  PENDING: true,
  COMPLETED: true,
  WAITING_CALLBACK: true,
  MANUALLY_PROCESSED: true,
};

export const SETTLED_STATUSES = Object.keys(SETTLED) as SettledStatus[];

export const CALLBACK_ANSWERS = ['first', 'duplicate', 'conflict', 'late', 'heartbeat', 'bad_token'] as const;
export type CallbackAnswer = (typeof CALLBACK_ANSWERS)[number];

/** What rescue does, each with why. */
export const RESCUES = {
  enqueued: ['overdue', 'queue_lost'],
  node_lost: ['node_dead', 'node_gone', 'lease_expired'],
  callback_expired: ['deadline', 'heartbeat'],
  agent_lost: ['lease_expired', 'deadline'],
  late: ['max_lateness'],
  notices: ['overdue', 'queue_lost'],
} as const;

export type RescueKind = keyof typeof RESCUES;
export type RescueReason<Kind extends RescueKind> = (typeof RESCUES)[Kind][number];
