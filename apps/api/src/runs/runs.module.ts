import { Module } from '@nestjs/common';
import { EnqueueRuns, PLATFORM, type Platform, TriggerRun } from '#pipeline';
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
      provide: TriggerRun,
      useFactory: ({ database, clock }: Platform, enqueue: EnqueueRuns) => new TriggerRun(database, clock, enqueue),
      inject: [PLATFORM, EnqueueRuns],
    },
  ],
})
export class RunsModule {}
