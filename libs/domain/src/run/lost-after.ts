/** How long a run may stay SCHEDULED past its due time before somebody asks whether the queue has lost it. */
export const LOST_AFTER_MS = 30_000;
