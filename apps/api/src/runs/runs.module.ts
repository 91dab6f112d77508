import { Module } from '@nestjs/common';
import { AdmitRuns, CancelRun, EnqueueNotices, EnqueueRuns, PLATFORM, type Platform } from '#pipeline';
import { Idempotency } from '../http/idempotency.js';
import { ReplayController } from './replay.controller.js';
import { ResolveController } from './resolve.controller.js';
import { RunList } from './run-list.js';
import { RunsOnDemand } from './runs-on-demand.js';
import { RunsController } from './runs.controller.js';
import { TaskRunsController } from './task-runs.controller.js';
import { TriggerController } from './trigger.controller.js';

@Module({
  controllers: [RunsController, TaskRunsController, TriggerController, ReplayController, ResolveController],
  providers: [
    RunList,
    Idempotency,
    RunsOnDemand,
    {
      provide: CancelRun,
      useFactory: ({ database, clock, queue, metrics }: Platform, enqueue: EnqueueRuns, notices: EnqueueNotices) =>
        new CancelRun(database, clock, enqueue, notices, queue.signals, metrics),
      inject: [PLATFORM, EnqueueRuns, EnqueueNotices],
    },
    {
      provide: AdmitRuns,
      useFactory: ({ database, clock }: Platform, enqueue: EnqueueRuns) => new AdmitRuns(database, clock, enqueue),
      inject: [PLATFORM, EnqueueRuns],
    },
  ],
  exports: [RunsOnDemand],
})
export class RunsModule {}
