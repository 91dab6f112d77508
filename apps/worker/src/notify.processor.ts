import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { DeliverNotice, PLATFORM, type Platform } from '#pipeline';
import { NOTICES_QUEUE, parseNotice } from '#queue';
import type { Job } from 'bullmq';

/** Takes notices from their queue and has them sent. A job is one try; the next one is another job. */
@Processor(NOTICES_QUEUE, { removeOnComplete: { count: 0 } })
export class NotifyProcessor extends WorkerHost {
  constructor(
    private readonly notices: DeliverNotice,
    @Inject(PLATFORM) private readonly platform: Platform,
  ) {
    super();
  }

  async process(job: Job): Promise<void> {
    const { id, host } = parseNotice(job.name, job.data);
    await this.notices.deliver(id, host);
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.platform.config.notifyConcurrency;
    // BullMQ repeats every connection error as an event; the queue's backend has said it once already.
    this.worker.on('error', () => undefined);
    this.worker.on('failed', (job, error) =>
      this.platform.log.warn({ job: job?.id, reason: error.message }, 'a notice failed: rescue will bring it again'),
    );
  }

  /** Takes no jobs for a while. One that the queue was about to bring still comes, and is handed on. */
  pause(): void {
    this.notices.pause();
    this.worker.pause(true).catch(() => undefined);
  }

  resume(): void {
    this.notices.resume();
    void this.worker.resume();
  }

  /** Takes no more jobs; what is being sent gets some time, and is then broken off and handed back. */
  async stop(withinMs: number): Promise<void> {
    const closed = this.worker.close().catch(() => undefined);
    const late = (ms: number) => new Promise<void>((done) => setTimeout(done, ms).unref());
    await Promise.race([closed, late(withinMs)]);
    this.notices.stop();
    await Promise.race([closed, late(HAND_BACK_MS)]);
  }
}

const HAND_BACK_MS = 1_000;
