import type { Queue } from 'bullmq';
import type { QueueBackend } from './backend.js';

type Counted = Pick<Queue, 'getJobCounts' | 'getCountsPerPriority' | 'getPrioritized'>;

/** How much is in one queue. A job carries one or many runs, or a notice. */
export interface QueueDepth {
  /** Due, and not taken by anybody yet. */
  waiting: number;
  /** Not due yet. */
  delayed: number;
  /** In the hands of a worker; a dispatch is that only until its runs are claimed. */
  active: number;
  /** How long the oldest of those that wait has been due; 0 when none waits. */
  oldestSeconds: number;
}

/** BullMQ's priorities that dispatches have: see dispatch-queue.ts. */
const PRIORITIES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** How deep the queue is now. Throws when it is away, or does not answer in time. `now` is epoch milliseconds. */
export async function queueDepth(queue: Counted, backend: Pick<QueueBackend, 'ask'>, now: number): Promise<QueueDepth> {
  const counts = await backend.ask(() => queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active'));
  const waiting = counts.waiting + counts.prioritized;
  const due = counts.prioritized === 0 ? [] : await backend.ask(() => firstOfEach(queue));
  const oldest = Math.min(now, ...due);
  return { waiting, delayed: counts.delayed, active: counts.active, oldestSeconds: (now - oldest) / 1000 };
}

/**
 * Since when the first job of each priority has been due: jobs that hurry are in front of older ones that do not. The line is ordered
 * by priority, so where each one's part begins is known from how many are in front of it.
 */
async function firstOfEach(queue: Counted): Promise<number[]> {
  const counts = await queue.getCountsPerPriority(PRIORITIES);
  let place = 0;
  const firsts: number[] = [];
  for (const priority of PRIORITIES) {
    const count = counts[priority] ?? 0;
    if (count > 0) firsts.push(place);
    place += count;
  }
  const jobs = await Promise.all(firsts.map((at) => queue.getPrioritized(at, at)));
  // Somebody may have taken it between the two questions.
  return jobs.flat().flatMap((job) => (job === undefined ? [] : [job.timestamp + (job.opts.delay ?? 0)]));
}
