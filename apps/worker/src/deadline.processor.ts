import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { PLATFORM, type Platform, WatchDeadlines } from '#pipeline';
import { DEADLINES_QUEUE, parseDeadline } from '#queue';
import type { Job } from 'bullmq';

/** Takes seconds at which deadlines pass from their queue: any worker may look, not only the one that made the call. */
@Processor(DEADLINES_QUEUE, { removeOnComplete: { count: 0 } })
export class DeadlineProcessor extends WorkerHost {
  constructor(
    private readonly deadlines: WatchDeadlines,
    @Inject(PLATFORM) private readonly platform: Platform,
  ) {
    super();
  }

  async process(job: Job): Promise<void> {
    await this.deadlines.look(parseDeadline(job.name, job.data).second);
  }

  onApplicationBootstrap(): void {
    // BullMQ repeats every connection error as an event; the queue's backend has said it once already.
    this.worker.on('error', () => undefined);
    this.worker.on('failed', (job, error) =>
      this.platform.log.warn({ job: job?.id, reason: error.message }, 'a look at deadlines failed: rescue will look'),
    );
  }

  /** Takes no more jobs. BullMQ's own close() has no timeout and hangs while Redis is away, so it is raced. */
  async stop(withinMs: number): Promise<void> {
    const late = new Promise<void>((done) => setTimeout(done, withinMs).unref());
    await Promise.race([this.worker.close().catch(() => undefined), late]);
  }
}
