import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { countEnabledTasks } from '#database';
import { PLATFORM, type Platform } from '#pipeline';
import { MetricsController } from './metrics.controller.js';

@Module({ controllers: [MetricsController] })
export class MetricsModule implements OnModuleInit {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  onModuleInit(): void {
    const { metrics, database } = this.platform;
    metrics.watchTasks(() => countEnabledTasks(database));
  }
}
