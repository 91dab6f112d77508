import { randomBytes } from 'node:crypto';
import type { Clock } from '#database';
import { dispatchesOf, type RunToDispatch } from '#domain';
import type { DispatchQueue } from '#queue';
import type { Logger } from 'pino';

/** Below this many runs of one second each travels alone. */
const SHARE = 16;

export interface EnqueueOptions {
  dispatchSize: number;
}

/** Tells the workers, through the queue, of runs that are committed. What cannot be told now, rescue tells later. */
export class EnqueueRuns {
  /** Keeps the ids of two processes apart. */
  private readonly shard = randomBytes(4).toString('hex');
  private count = 0;

  constructor(
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
    private readonly options: EnqueueOptions,
    private readonly log: Logger,
  ) {}

  async add(runs: readonly RunToDispatch[]): Promise<void> {
    if (runs.length === 0) return;
    const dispatches = dispatchesOf(runs, { size: this.options.dispatchSize, share: SHARE }, this.nextId);
    try {
      await this.queue.add(dispatches, this.clock.now());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.warn({ runs: runs.length, reason }, 'the queue did not take the dispatches: rescue will bring them');
    }
  }

  private readonly nextId = (second: number): string => `${second}-${this.shard}-${(this.count++).toString(36)}`;
}
