import type { Clock, NoticeToSend } from '#database';
import { type NoticeQueue, QueueAway } from '#queue';
import type { Logger } from 'pino';

/** Tells the workers, through the queue, of notices that are committed. What cannot be told now, rescue tells later. */
export class EnqueueNotices {
  constructor(
    private readonly queue: Pick<NoticeQueue, 'add'>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** `again`: beside the job that may be waiting for the notice already. */
  async add(notices: readonly NoticeToSend[], again = false): Promise<void> {
    if (notices.length === 0) return;
    try {
      await this.queue.add(
        notices.map((notice) => ({ ...notice, again })),
        this.clock.now(),
      );
    } catch (error) {
      // That the queue is away has been said once; anything else is worth a line each time.
      const level = error instanceof QueueAway ? 'debug' : 'warn';
      this.log[level]({ notices: notices.length, err: error }, 'the queue did not take the notices: rescue will');
    }
  }
}
