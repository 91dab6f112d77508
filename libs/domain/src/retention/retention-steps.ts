import { firstIdOfSecond } from '../run/run-id.js';
import type { RunStatus } from '../run/statuses.js';

/** Ended well, and of little interest afterwards: these move to the archive. */
export const ARCHIVED_STATUSES = ['SUCCESS', 'MANUALLY_PROCESSED'] as const satisfies readonly RunStatus[];
export type ArchivedStatus = (typeof ARCHIVED_STATUSES)[number];

/** All that may be deleted. PENDING is not among them, nor COMPLETED: somebody has yet to decide, or to be told. */
export const DELETED_STATUSES = [
  ...ARCHIVED_STATUSES,
  ...(['FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED'] as const satisfies readonly RunStatus[]),
] as const;
export type DeletedStatus = (typeof DELETED_STATUSES)[number];

/** How long after its end a run is kept where; null: for ever. */
export interface RetentionAges {
  archiveAfterMs: number | null;
  deleteAfterMs: Readonly<Record<DeletedStatus, number | null>>;
}

/** Runs of one status whose time is over in one place. */
export interface RetentionStep {
  action: 'archive' | 'delete';
  from: 'runs' | 'archive';
  status: DeletedStatus;
  /** Epoch milliseconds: what ended before is due … */
  endedBefore: number;
  /** … and has an id that sorts before this one, since no run ends before its scheduled second. */
  beforeId: string;
}

/** What is to be done, in this order: what is deleted need not be moved first. */
export function retentionSteps({ archiveAfterMs, deleteAfterMs }: RetentionAges, now: number): RetentionStep[] {
  const step = (action: RetentionStep['action'], from: RetentionStep['from'], age: number | null) => {
    if (age === null) return () => [];
    const endedBefore = now - age;
    const beforeId = firstIdOfSecond(Math.max(0, Math.floor(endedBefore / 1000) + 1));
    return (status: DeletedStatus): RetentionStep[] => [{ action, from, status, endedBefore, beforeId }];
  };
  return [
    ...ARCHIVED_STATUSES.flatMap((status) => step('delete', 'archive', deleteAfterMs[status])(status)),
    ...DELETED_STATUSES.flatMap((status) => step('delete', 'runs', deleteAfterMs[status])(status)),
    ...ARCHIVED_STATUSES.flatMap(step('archive', 'runs', archiveAfterMs)),
  ];
}

/** Epoch milliseconds: a run scheduled earlier may have been deleted by now. Null: none was. */
export function forgottenBefore({ deleteAfterMs }: RetentionAges, now: number): number | null {
  const ages = Object.values(deleteAfterMs).filter((age) => age !== null);
  return ages.length === 0 ? null : now - Math.min(...ages);
}
