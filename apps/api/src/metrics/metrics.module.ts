import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { countEnabledTasks, listNodes, oldestRuns, outboxBacklog } from '#database';
import { PLATFORM, type Platform, QueueDepths } from '#pipeline';
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
    metrics.watchNodes(() => listNodes(database));
    metrics.watchOutbox(async () => {
      const { pending, oldest } = await outboxBacklog(database);
      return { pending, oldestSeconds: oldest === null ? 0 : Math.max(0, clock.now() - oldest) / 1000 };
    });
    metrics.watchOldest(async () => {
      const { run, archived } = await oldestRuns(database);
      const age = (second: number | null) => (second === null ? 0 : Math.max(0, clock.now() / 1000 - second));
      return { run: age(run), archived: age(archived) };
    });
    metrics.watchQueues(() => this.depths.read());
  }
}
