/** The queue's job that brought some runs: over when none of them needs it any more. */
export class OfferedJob {
  constructor(
    private runs: number,
    private readonly over: () => void,
    private readonly failed: (error: Error) => void,
  ) {
    if (runs === 0) over();
  }

  /** One of its runs is claimed, handed on, or waits without it. */
  release(): void {
    if (--this.runs === 0) this.over();
  }

  fail(error: Error): void {
    this.failed(error);
  }
}

/** A run that was offered to this worker and is not claimed yet. */
export interface WaitingRun {
  readonly id: string;
  readonly priority: number;
  readonly since: number;
  /** Null once the run is parked: then nobody but this worker waits for it. */
  job: OfferedJob | null;
}

/** Runs that cannot start here now. */
export interface LeftOver {
  runs: WaitingRun[];
  /** When they are to be tried again, in milliseconds from now. */
  afterMs: number;
  reason: 'host' | 'slots';
}

/** Higher priorities first, then in the order of arrival. */
export function insertByPriority<One>(line: One[], one: One, priorityOf: (one: One) => number): void {
  const priority = priorityOf(one);
  let place = line.length;
  while (place > 0 && priorityOf(line[place - 1]) < priority) place--;
  if (place === line.length) line.push(one);
  else line.splice(place, 0, one);
}
