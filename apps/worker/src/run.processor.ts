import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { ExecuteDispatch, PLATFORM, type Platform } from '#pipeline';
import { dueAtOf, parseDispatch, priorityOf, RUNS_QUEUE } from '#queue';
import type { Job } from 'bullmq';

/**
 * Takes dispatches from the queue. Only a few at a time: a job is over as soon as its runs are claimed, and how many calls
 * run at once is decided by the slots, not here.
 */
@Processor(RUNS_QUEUE, { concurrency: 8, removeOnComplete: { count: 0 } })
export class RunProcessor extends WorkerHost {
  constructor(
    private readonly dispatch: ExecuteDispatch,
    @Inject(PLATFORM) private readonly platform: Platform,
  ) {
    super();
  }

  async process(job: Job): Promise<void> {
    await this.dispatch.run(parseDispatch(job.name, job.data).runs, priorityOf(job), dueAtOf(job));
  }

  onApplicationBootstrap(): void {
    // BullMQ repeats every connection error as an event; the queue's backend has said it once already.
    this.worker.on('error', () => undefined);
    this.worker.on('failed', (job, error) =>
      this.platform.log.warn({ job: job?.id, reason: error.message }, 'a dispatch failed: rescue will bring its runs'),
    );
  }

  /** Takes no jobs for a while. One that the queue was about to bring still comes, and is handed on. */
  pause(): void {
    // Not waiting for its jobs: it would first have to break the connection it waits for new ones on.
    this.worker.pause(true).catch(() => undefined);
  }

  resume(): void {
    void this.worker.resume();
  }

  /** Takes no more jobs. BullMQ's own close() has no timeout and hangs while Redis is away, so it is raced. */
  async stop(withinMs: number): Promise<void> {
    const late = new Promise<void>((done) => setTimeout(done, withinMs).unref());
    await Promise.race([this.worker.close().catch(() => undefined), late]);
  }
}
