import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { BackfillLoop, RecountLoop, RescueLoop, TickLoop } from '#pipeline';

/** Starts and stops the loops with the process that hosts them. */
@Injectable()
export class SchedulerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly tick: TickLoop,
    private readonly rescue: RescueLoop,
    private readonly recount: RecountLoop,
    private readonly backfill: BackfillLoop,
  ) {}

  onApplicationBootstrap(): void {
    this.tick.start();
    this.rescue.start();
    this.recount.start();
    this.backfill.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.tick.stop(), this.rescue.stop(), this.recount.stop(), this.backfill.stop()]);
  }
}
