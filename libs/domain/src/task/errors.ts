/** What is wrong with one field of a request, in the request's own words. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** What was asked for is well-formed but cannot be. */
export class InvalidInput extends Error {
  constructor(readonly problems: readonly FieldProblem[]) {
    super(problems.map(({ field, message }) => `${field} ${message}`).join('; '));
  }
}

/** There is no such thing for this tenant. */
export class NotFound extends Error {
  constructor(
    readonly what: 'task' | 'run' | 'backfill' | 'delivery' | 'node' | 'API key',
    readonly id: string,
  ) {
    super(`there is no ${what} ${id}`);
  }
}

/** Another live task has the name. */
export class NameTaken extends Error {
  constructor(readonly taskName: string) {
    super(`another task is already named "${taskName}"`);
  }
}

/** Somebody else changed the task since the version the request was made from. */
export class StaleVersion extends Error {
  constructor(
    readonly taskId: string,
    readonly given: number,
    readonly current: number,
  ) {
    super(`the task is at version ${current}, the request was made from version ${given}`);
  }
}

/** The run's state does not allow what was asked. */
export class WrongState extends Error {
  constructor(
    readonly runId: string,
    readonly status: string,
    rule: string,
  ) {
    super(`run ${runId} is ${status}: ${rule}`);
  }
}

/** The execution named is not the run's any more: somebody else has it, or it is over. */
export class StaleExecution extends Error {
  constructor(
    readonly runId: string,
    readonly execId: string,
    readonly status: string,
  ) {
    super(`execution ${execId} of run ${runId} is over (the run is ${status}): what it says changes nothing`);
  }
}

/** The idempotency key was used before, for something else. */
export class IdempotencyKeyReused extends Error {
  constructor(readonly key: string) {
    super('this Idempotency-Key was used for another request');
  }
}

/** The run's task is not there any more. */
export class TaskOfRunDeleted extends Error {
  constructor(readonly runId: string) {
    super(`the task of run ${runId} has been deleted, so that nothing can run it again`);
  }
}

/** All slots of the run's task are taken, or promised to those who wait in line. */
export class NoFreeSlot extends Error {
  constructor(
    readonly runId: string,
    readonly taskId: string,
    { activeRuns, queuedRuns, maxConcurrency }: { activeRuns: number; queuedRuns: number; maxConcurrency: number },
  ) {
    const line = queuedRuns > 0 ? `, and ${queuedRuns} waiting for one` : '';
    super(
      `task ${taskId} has ${activeRuns} runs for its ${maxConcurrency} slots${line}: retry run ${runId} when one is free, ` +
        `raise max_concurrency, or replay it, which waits in line under QUEUE`,
    );
  }
}
