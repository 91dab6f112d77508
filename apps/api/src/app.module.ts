import { type DynamicModule, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { PLATFORM, type Platform, PlatformModule } from '#pipeline';
import { CronModule } from './cron/cron.module.js';
import { HealthModule } from './health/health.module.js';
import { RunsModule } from './runs/runs.module.js';
import { SchedulerModule } from './scheduler/scheduler.module.js';
import { TasksModule } from './tasks/tasks.module.js';

/** Runs after the server has answered its last request. */
@Injectable()
class ClosePlatform implements OnApplicationShutdown {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  onApplicationShutdown(): Promise<void> {
    return this.platform.close();
  }
}

@Module({})
export class AppModule {
  static of(platform: Platform): DynamicModule {
    const scheduler = platform.config.scheduler ? [SchedulerModule.of(platform)] : [];
    return {
      module: AppModule,
      imports: [PlatformModule.of(platform), TasksModule, RunsModule, CronModule, HealthModule, ...scheduler],
      providers: [ClosePlatform],
    };
  }
}
