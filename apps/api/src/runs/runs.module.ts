import { Module } from '@nestjs/common';
import { CancelRun, EnqueueRuns, PLATFORM, type Platform, TriggerRun } from '#pipeline';
import { Idempotency } from '../http/idempotency.js';
import { RunList } from './run-list.js';
import { RunsController } from './runs.controller.js';
import { TaskRunsController } from './task-runs.controller.js';
import { TriggerController } from './trigger.controller.js';

@Module({
  controllers: [RunsController, TaskRunsController, TriggerController],
  providers: [
    RunList,
    Idempotency,
    {
      provide: CancelRun,
      useFactory: ({ database, clock, queue, metrics }: Platform, enqueue: EnqueueRuns) =>
        new CancelRun(database, clock, enqueue, queue.signals, metrics),
      inject: [PLATFORM, EnqueueRuns],
    },
    {
      provide: TriggerRun,
      useFactory: ({ database, clock }: Platform, enqueue: EnqueueRuns) => new TriggerRun(database, clock, enqueue),
      inject: [PLATFORM, EnqueueRuns],
    },
  ],
})
export class RunsModule {}
