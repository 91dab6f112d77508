import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { PLATFORM, type Platform, PlatformModule } from '#pipeline';
import { AccessModule } from './access/access.module.js';
import { AgentsModule } from './agents/agents.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AuditModule } from './audit/audit.module.js';
import { BackfillsModule } from './backfills/backfills.module.js';
import { CallbacksModule } from './callbacks/callbacks.module.js';
import { ClusterModule } from './cluster/cluster.module.js';
import { OwnNode } from './cluster/own-node.js';
import { CronModule } from './cron/cron.module.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { HealthModule } from './health/health.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { RunsModule } from './runs/runs.module.js';
import { SchedulerModule } from './scheduler/scheduler.module.js';
import { StatsModule } from './stats/stats.module.js';
import { TasksModule } from './tasks/tasks.module.js';

const MEASURE_EVERY_MS = 30_000;

/** Without a scheduler, which does it as it ticks, nobody else would notice that the clocks drift apart. */
@Injectable()
class KeepTime implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer?: NodeJS.Timeout;

  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  onApplicationBootstrap(): void {
    const measure = () => void this.platform.clock.measure().catch(() => undefined);
    this.timer = setInterval(measure, MEASURE_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}

/** Runs after the server has answered its last request. */
@Injectable()
class ClosePlatform implements OnApplicationShutdown {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly node: OwnNode,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.node.stop();
    await this.platform.close();
  }
}

@Module({})
export class AppModule {
  static of(platform: Platform): DynamicModule {
    const { scheduler } = platform.config;
    return {
      module: AppModule,
      imports: [
        PlatformModule.of(platform),
        AccessModule,
        ApiKeysModule,
        AuditModule,
        TasksModule,
        RunsModule,
        JobsModule,
        AgentsModule,
        CronModule,
        ExplainModule,
        BackfillsModule,
        CallbacksModule,
        DeliveriesModule,
        ClusterModule,
        HealthModule,
        MetricsModule,
        StatsModule,
        ...(scheduler ? [SchedulerModule.of(platform)] : []),
      ],
      providers: [ClosePlatform, ...(scheduler ? [] : [KeepTime])],
    };
  }
}
