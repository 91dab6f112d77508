/** Every kind of job that is ever in the queue: its queue, its name, and the shape of its data. */
export const RUNS_QUEUE = 'runs';

/** Carries runs of one due second and priority to a worker. */
export const DISPATCH_JOB = 'dispatch';

export interface DispatchData {
  runs: string[];
}

/** Another version may have written the job; anything that is not a dispatch is refused, not guessed at. */
export function parseDispatch(name: string, data: unknown): DispatchData {
  const runs = (data as Partial<DispatchData> | null)?.runs;
  if (name !== DISPATCH_JOB || !Array.isArray(runs) || runs.some((id) => typeof id !== 'string')) {
    throw new TypeError(`the queue holds a job named "${name}" that is no dispatch`);
  }
  return { runs };
}
