import { type DynamicModule, Module } from '@nestjs/common';
import {
  Backfill,
  BackfillLoop,
  EnqueueRuns,
  type Platform,
  Recount,
  RecountLoop,
  Rescue,
  RescueLoop,
  RescueNotices,
  RestoreQueue,
  Tick,
  TickLoop,
  WarmLoop,
  WarmRuns,
} from '#pipeline';
import { ClusterModule } from '../cluster/cluster.module.js';
import { SchedulerService } from './scheduler.service.js';

/** A tick may be late by the poll interval and a little more and still run, whatever the catch-up mode. */
const GRACE_SECONDS = 2;
/** Most missed ticks of one task that come back in one second, so that a comeback does not drown the workers. */
const CATCH_UP_CHUNK = 20;
/** Whoever polls less often than this samples: docs/decisions/0005-sampling.md. */
const EVERY_SECOND_MS = 1_000;

/** Hosts the pipeline's tick in the API process: due seconds become runs, and runs become dispatches in the queue. */
@Module({})
export class SchedulerModule {
  static of({ config, database, clock, queue, log, metrics, alerts }: Platform): DynamicModule {
    const options = {
      batchSize: config.tickBatchSize,
      graceSeconds: config.pollIntervalMs / 1000 + GRACE_SECONDS,
      catchUpChunk: CATCH_UP_CHUNK,
      alertsOn: alerts?.on,
      sampling: config.pollIntervalMs > EVERY_SECOND_MS,
    };
    return {
      module: SchedulerModule,
      imports: [ClusterModule],
      providers: [
        SchedulerService,
        {
          provide: Tick,
          useFactory: (enqueue: EnqueueRuns) =>
            new Tick(database, clock, enqueue, queue.signals, options, log, metrics),
          inject: [EnqueueRuns],
        },
        {
          provide: TickLoop,
          useFactory: (tick: Tick) => new TickLoop(tick, clock, { intervalMs: config.pollIntervalMs }, log),
          inject: [Tick],
        },
        {
          provide: RescueLoop,
          useFactory: (restore: RestoreQueue, rescue: Rescue, notices: RescueNotices) =>
            new RescueLoop(restore, rescue, notices, { intervalMs: config.rescueIntervalMs }, log),
          inject: [RestoreQueue, Rescue, RescueNotices],
        },
        {
          provide: RecountLoop,
          useFactory: (recount: Recount) => new RecountLoop(recount, { database, clock }, log),
          inject: [Recount],
        },
        {
          provide: BackfillLoop,
          useFactory: (enqueue: EnqueueRuns) =>
            new BackfillLoop(new Backfill(database, clock, enqueue, log), clock, log),
          inject: [EnqueueRuns],
        },
        {
          provide: WarmLoop,
          useFactory: (enqueue: EnqueueRuns) => new WarmLoop(new WarmRuns(database, clock, enqueue), clock, log),
          inject: [EnqueueRuns],
        },
      ],
      exports: [Tick, TickLoop],
    };
  }
}
