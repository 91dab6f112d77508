/** How long a run may stay SCHEDULED past its due time before somebody asks whether the queue has lost it. */
export const LOST_AFTER_MS = 30_000;

/** How long after a run is due somebody first looks at it: it may have been claimed at once, and its worker be lost. */
export const FIRST_LOOK_MS = 10_000;

/** The same for a run that was admitted ahead of its second: whoever was to tell the queue then may be gone. */
export const UNTOLD_AFTER_MS = 10_000;
