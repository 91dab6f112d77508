/** Every kind of job that is ever in the queue, its queue, its name and the shape of its data; and every signal. */
export const RUNS_QUEUE = 'runs';
/** Runs that execute commands: only workers that may do so take from it. */
export const COMMANDS_QUEUE = 'commands';

/** Carries runs of one due second and priority to a worker. */
export const DISPATCH_JOB = 'dispatch';

export interface DispatchData {
  runs: string[];
  /** Set where it was sent a moment before it is due, to be at hand then: epoch milliseconds of the database's clock. */
  due?: number;
}

/** Another version may have written the job; anything that is not a dispatch is refused, not guessed at. */
export function parseDispatch(name: string, data: unknown): DispatchData {
  const runs = (data as Partial<DispatchData> | null)?.runs;
  if (name !== DISPATCH_JOB || !Array.isArray(runs) || runs.some((id) => typeof id !== 'string')) {
    throw new TypeError(`the queue holds a job named "${name}" that is no dispatch`);
  }
  return { runs };
}

export const NOTICES_QUEUE = 'notices';

/** Has a worker send one notice. */
export const NOTICE_JOB = 'notice';

export interface NoticeData {
  id: string;
  /** The receiver's, as far as it is known: places are shared by it. */
  host: string;
}

export function parseNotice(name: string, data: unknown): NoticeData {
  const { id, host = '' } = (data ?? {}) as Partial<NoticeData>;
  if (name !== NOTICE_JOB || typeof id !== 'string' || typeof host !== 'string') {
    throw new TypeError(`the queue holds a job named "${name}" that is no notice`);
  }
  return { id, host };
}

export const DEADLINES_QUEUE = 'deadlines';

/** Has a worker look, when that second has come, at what should have been called back by then. */
export const DEADLINE_JOB = 'deadline';

export interface DeadlineData {
  second: number;
}

export function parseDeadline(name: string, data: unknown): DeadlineData {
  const { second } = (data ?? {}) as Partial<DeadlineData>;
  if (name !== DEADLINE_JOB || typeof second !== 'number') {
    throw new TypeError(`the queue holds a job named "${name}" that is no deadline`);
  }
  return { second };
}

/** One execution of a run. */
export interface ExecutionRef {
  id: string;
  execId: string;
}

/** What all processes can be told at once, see `signals.ts`. */
export interface Signal {
  /** Executions that are nobody's any more: whoever carries one of them out breaks it off. */
  cancel: ExecutionRef[];
  /** There is something for agents: whoever waits for it looks. */
  agentRuns?: boolean;
}

/** Null for anything else: another version may have sent it, and a signal may always be missed. */
export function parseSignal(text: string): Signal | null {
  try {
    const { cancel, agentRuns } = JSON.parse(text) as Partial<Signal>;
    if (!Array.isArray(cancel) || !cancel.every(isExecution)) return null;
    return agentRuns === true ? { cancel, agentRuns } : { cancel };
  } catch {
    return null;
  }
}

function isExecution(given: Partial<ExecutionRef> | null): given is ExecutionRef {
  return typeof given?.id === 'string' && typeof given.execId === 'string';
}
