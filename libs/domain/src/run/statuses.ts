/** The run's states, what may follow what, and the predicates everybody asks. Drawn in docs/run-states.md. */
export const RUN_TRANSITIONS = {
  SCHEDULED: ['RUNNING', 'QUEUED', 'CANCELED', 'SKIPPED'],
  QUEUED: ['SCHEDULED', 'CANCELED', 'SKIPPED'],
  RUNNING: ['WAITING_CALLBACK', 'RETRYING', 'COMPLETED', 'SUCCESS', 'FAILED', 'TIMEOUT', 'PENDING', 'CANCELED'],
  WAITING_CALLBACK: ['RETRYING', 'COMPLETED', 'SUCCESS', 'FAILED', 'TIMEOUT', 'PENDING', 'CANCELED'],
  RETRYING: ['RUNNING', 'CANCELED'],
  COMPLETED: ['SUCCESS'],
  PENDING: ['MANUALLY_PROCESSED', 'RETRYING'],
  SUCCESS: [],
  FAILED: [],
  TIMEOUT: [],
  CANCELED: [],
  SKIPPED: [],
  MANUALLY_PROCESSED: [],
} as const satisfies Record<string, readonly string[]>;

export type RunStatus = keyof typeof RUN_TRANSITIONS;

/**
 * What a callback may make of its run after the end, under `late_policy` ACCEPT or PENDING: the one way out of a final state,
 * for runs that ended, or are to be tried again, because nobody had heard from their last attempt.
 */
export const LATE_TRANSITIONS = {
  TIMEOUT: ['COMPLETED', 'SUCCESS', 'FAILED', 'PENDING'],
  FAILED: ['COMPLETED', 'SUCCESS', 'PENDING'],
  PENDING: ['COMPLETED', 'SUCCESS'],
  RETRYING: ['COMPLETED', 'SUCCESS', 'PENDING'],
} as const satisfies Partial<Record<RunStatus, readonly RunStatus[]>>;

export type LateFrom = keyof typeof LATE_TRANSITIONS;

export const RUN_STATUSES = Object.keys(RUN_TRANSITIONS) as RunStatus[];

/** Nothing follows these; a run in one of them has a `finished_at`. */
export const FINAL_STATUSES = RUN_STATUSES.filter((status) => RUN_TRANSITIONS[status].length === 0);

/** What OVERLAP looks at. */
export const UNFINISHED_STATUSES = ['SCHEDULED', 'QUEUED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING'] as const;

/** What `max_concurrency` counts: `task_states.active_runs` is the number of a task's runs in these, without the cold ones. */
export const SLOT_STATUSES = ['SCHEDULED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING'] as const;

export const RUN_TRIGGERS = ['CRON', 'MANUAL', 'API', 'CATCH_UP', 'BACKFILL', 'REPLAY'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

export const SKIP_REASONS = ['OVERLAP', 'FAILURE', 'CONCURRENCY', 'QUEUE_FULL', 'LATE', 'MISSED'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const isFinal = (status: RunStatus): boolean => RUN_TRANSITIONS[status].length === 0;

export const isUnfinished = (status: RunStatus): boolean =>
  (UNFINISHED_STATUSES as readonly RunStatus[]).includes(status);

export const mayBecome = (from: RunStatus, to: RunStatus): boolean =>
  (RUN_TRANSITIONS[from] as readonly RunStatus[]).includes(to);
