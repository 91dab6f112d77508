import { type QueueBackend, type QueueDepth, queueDepth } from '#queue';
import type { Queue } from 'bullmq';

/** How deep every queue is, by its name. */
export class QueueDepths {
  constructor(
    private readonly queues: readonly Queue[],
    private readonly backend: Pick<QueueBackend, 'ask'>,
  ) {}

  /** Throws while the queue is away. */
  async read(): Promise<Record<string, QueueDepth>> {
    // By this host's clock, as BullMQ itself dates its jobs.
    const now = Date.now();
    const depths = await Promise.all(this.queues.map((queue) => queueDepth(queue, this.backend, now)));
    return Object.fromEntries(this.queues.map((queue, place) => [queue.name, depths[place]]));
  }
}
