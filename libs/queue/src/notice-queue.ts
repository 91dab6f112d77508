import type { Queue } from 'bullmq';
import type { QueueBackend } from './backend.js';
import { NOTICE_JOB, type NoticeData } from './catalogue.js';

const CHUNK = 200;

export interface NoticeJob {
  id: string;
  /** Tries so far: each gets a job of its own. */
  attempts: number;
  /** Epoch milliseconds. */
  dueAt: number;
  host?: string;
  /** Asked for by a person: comes beside the job that may be waiting already. */
  again?: boolean;
}

/** Puts notices into the queue. A try whose job is there already is not added again. */
export class NoticeQueue {
  constructor(
    private readonly queue: Pick<Queue, 'addBulk'>,
    private readonly backend: Pick<QueueBackend, 'ask'>,
  ) {}

  /** Throws when the queue is away or does not answer in time; what was not added, rescue finds. */
  async add(notices: readonly NoticeJob[], now: number): Promise<void> {
    const jobs = notices.map((notice) => toJob(notice, now));
    for (let at = 0; at < jobs.length; at += CHUNK) {
      await this.backend.ask(() => this.queue.addBulk(jobs.slice(at, at + CHUNK)));
    }
  }
}

function toJob({ id, attempts, dueAt, host = '', again = false }: NoticeJob, now: number) {
  const data: NoticeData = { id, host };
  const jobId = `${id}-${attempts}${again ? `-${Math.floor(now).toString(36)}` : ''}`;
  const delay = Math.max(0, Math.round(dueAt - now));
  // A job that failed and stayed would keep the next one of its id out.
  return { name: NOTICE_JOB, data, opts: { jobId, delay, attempts: 1, removeOnComplete: true, removeOnFail: true } };
}
