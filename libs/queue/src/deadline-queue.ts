import type { Queue } from 'bullmq';
import type { QueueBackend } from './backend.js';
import { DEADLINE_JOB, type DeadlineData } from './catalogue.js';

const CHUNK = 200;

/** Puts seconds at which deadlines pass into the queue. A second that is there already, from whomever, is not added again. */
export class DeadlineQueue {
  constructor(
    private readonly queue: Pick<Queue, 'addBulk'>,
    private readonly backend: Pick<QueueBackend, 'ask'>,
  ) {}

  /** Throws when the queue is away or does not answer in time; what was not added, rescue finds. */
  async add(seconds: readonly number[], now: number): Promise<void> {
    const jobs = seconds.map((second) => toJob(second, now));
    for (let at = 0; at < jobs.length; at += CHUNK) {
      await this.backend.ask(() => this.queue.addBulk(jobs.slice(at, at + CHUNK)));
    }
  }
}

function toJob(second: number, now: number) {
  const data: DeadlineData = { second };
  const delay = Math.max(0, Math.ceil(second * 1000 - now));
  // A job that failed and stayed would keep the next one of its second out.
  const opts = { jobId: `deadline-${second}`, delay, attempts: 1, removeOnComplete: true, removeOnFail: true };
  return { name: DEADLINE_JOB, data, opts };
}
