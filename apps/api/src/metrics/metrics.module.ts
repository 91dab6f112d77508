import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { countEnabledTasks, oldestRuns } from '#database';
import { PLATFORM, type Platform, QueueDepths, watchFleet } from '#pipeline';
import { MetricsController } from './metrics.controller.js';

@Module({ controllers: [MetricsController] })
export class MetricsModule implements OnModuleInit {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly depths: QueueDepths,
  ) {}

  onModuleInit(): void {
    const { metrics, database, clock } = this.platform;
    metrics.watchTasks(() => countEnabledTasks(database));
    // Here nobody is called: a sum over all processes is the fleet's.
    metrics.watchSlots(0, () => 0);
    metrics.watchOldest(async () => {
      const { run, archived } = await oldestRuns(database);
      const age = (second: number | null) => (second === null ? 0 : Math.max(0, clock.now() / 1000 - second));
      return { run: age(run), archived: age(archived) };
    });
    watchFleet(this.platform, this.depths);
  }
}
