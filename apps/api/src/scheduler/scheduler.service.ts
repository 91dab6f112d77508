import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { BackfillLoop, RecountLoop, RescueLoop, RetentionLoop, TickLoop, WarmLoop } from '#pipeline';

/** Starts and stops the loops with the process that hosts them. */
@Injectable()
export class SchedulerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loops: readonly (TickLoop | RescueLoop | RecountLoop | BackfillLoop | WarmLoop | RetentionLoop)[];

  constructor(
    tick: TickLoop,
    rescue: RescueLoop,
    recount: RecountLoop,
    backfill: BackfillLoop,
    warm: WarmLoop,
    retention: RetentionLoop,
  ) {
    this.loops = [tick, rescue, recount, backfill, warm, retention];
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}
