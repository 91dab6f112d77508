import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { BackfillLoop, RescueLoop, TickLoop, WarmLoop } from '#pipeline';

/** Starts and stops the loops with the process that hosts them. */
@Injectable()
export class SchedulerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loops: readonly (TickLoop | RescueLoop | BackfillLoop | WarmLoop)[];

  constructor(tick: TickLoop, rescue: RescueLoop, backfill: BackfillLoop, warm: WarmLoop) {
    this.loops = [tick, rescue, backfill, warm];
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}
