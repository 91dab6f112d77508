import type { Queue } from 'bullmq';
import type { Dispatch } from '#domain';
import type { QueueBackend } from './backend.js';
import { DISPATCH_JOB, type DispatchData } from './catalogue.js';

/** Our priorities go up (9 first), BullMQ's go down (1 first), and its 0 would jump the line. */
const LOWEST = 10;
const CHUNK = 200;
/** What is due so soon is not put off by the queue, which would look for it late, but by the worker that gets it. */
const NEAR_MS = 100;

/** Puts dispatches into the queue. A dispatch whose id is there already is not added again. */
export class DispatchQueue {
  constructor(
    private readonly queue: Pick<Queue, 'addBulk'>,
    private readonly backend: Pick<QueueBackend, 'ask'>,
  ) {}

  /** Throws when the queue is away or does not answer in time; what was not added, rescue finds. */
  async add(dispatches: readonly Dispatch[], now: number): Promise<void> {
    const jobs = dispatches.map((dispatch) => toJob(dispatch, now));
    for (let at = 0; at < jobs.length; at += CHUNK) {
      await this.backend.ask(() => this.queue.addBulk(jobs.slice(at, at + CHUNK)));
    }
  }
}

function toJob({ id, priority, dueAt, runs }: Dispatch, now: number) {
  const waitMs = Math.max(0, Math.round(dueAt - now));
  const isNear = waitMs > 0 && waitMs <= NEAR_MS;
  const data: DispatchData = isNear ? { runs, due: dueAt } : { runs };
  const delay = isNear ? 0 : waitMs;
  return {
    name: DISPATCH_JOB,
    data,
    // Kept by count, not by age: BullMQ applies ages lazily.
    // BullMQ counts the delay from `timestamp`, and would take this host's clock for it.
    opts: {
      jobId: id,
      priority: LOWEST - priority,
      delay,
      timestamp: Math.round(now),
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: 100,
    },
  };
}

/** The priority a dispatch was added with, in our order. */
export function priorityOf(job: { opts: { priority?: number } }): number {
  return LOWEST - (job.opts.priority ?? LOWEST);
}

interface GivenJob {
  timestamp: number;
  data: unknown;
  opts: { delay?: number };
}

/** When a dispatch is due that was sent before, by the database's clock; 0: at once. */
export function dueAtOf({ timestamp, data, opts }: GivenJob): number {
  const { due } = data as Partial<DispatchData>;
  if (typeof due === 'number') return due;
  return opts.delay ? timestamp + opts.delay : 0;
}
