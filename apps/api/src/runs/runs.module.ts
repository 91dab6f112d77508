import { Module } from '@nestjs/common';
import { AdmitRuns, CancelRun, EnqueueNotices, EnqueueRuns, PLATFORM, type Platform, RetryRun } from '#pipeline';
import { Idempotency } from '../http/idempotency.js';
import { ReplayController } from './replay.controller.js';
import { ResolveController } from './resolve.controller.js';
import { RetryController } from './retry.controller.js';
import { RunList } from './run-list.js';
import { RunPage } from './run-page.js';
import { RunsOnDemand } from './runs-on-demand.js';
import { RunsController } from './runs.controller.js';
import { TaskRunsController } from './task-runs.controller.js';
import { TriggerController } from './trigger.controller.js';

@Module({
  controllers: [
    RunsController,
    TaskRunsController,
    TriggerController,
    ReplayController,
    ResolveController,
    RetryController,
  ],
  providers: [
    RunList,
    RunPage,
    Idempotency,
    RunsOnDemand,
    {
      provide: CancelRun,
      useFactory: ({ database, clock, queue, metrics }: Platform, enqueue: EnqueueRuns, notices: EnqueueNotices) =>
        new CancelRun(database, clock, enqueue, notices, queue.signals, metrics),
      inject: [PLATFORM, EnqueueRuns, EnqueueNotices],
    },
    {
      provide: RetryRun,
      useFactory: ({ database, clock, metrics }: Platform, enqueue: EnqueueRuns) =>
        new RetryRun(database, clock, enqueue, metrics),
      inject: [PLATFORM, EnqueueRuns],
    },
    {
      provide: AdmitRuns,
      useFactory: ({ database, clock, metrics, tracing }: Platform, enqueue: EnqueueRuns) =>
        new AdmitRuns(database, clock, enqueue, { metrics, tracing }),
      inject: [PLATFORM, EnqueueRuns],
    },
  ],
  exports: [RunsOnDemand],
})
export class RunsModule {}
