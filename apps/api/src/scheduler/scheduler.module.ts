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
  Retention,
  RetentionLoop,
  retentionPolicy,
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

/** Old runs: so many rows to a transaction and to a pass, and after each transaction a rest of three times as long. */
const RETENTION = { batchSize: 500, mostRows: 100_000, rest: 3 };

/** Hosts the pipeline's tick in the API process: due seconds become runs, and runs become dispatches in the queue. */
@Module({})
export class SchedulerModule {
  static of({ config, database, clock, queue, log, metrics, tracing, alerts, node }: Platform): DynamicModule {
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
            new Tick(database, clock, enqueue, queue.signals, options, log, metrics, tracing),
          inject: [EnqueueRuns],
        },
        {
          provide: TickLoop,
          useFactory: (tick: Tick) => {
            const aheadMs = options.sampling ? 0 : config.tickAheadMs;
            return new TickLoop(tick, clock, { intervalMs: config.pollIntervalMs, aheadMs }, log);
          },
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
            new BackfillLoop(new Backfill(database, clock, enqueue, log, { metrics, tracing }), clock, log),
          inject: [EnqueueRuns],
        },
        {
          provide: WarmLoop,
          useFactory: (enqueue: EnqueueRuns) => new WarmLoop(new WarmRuns(database, clock, enqueue), clock, log),
          inject: [EnqueueRuns],
        },
        {
          provide: RetentionLoop,
          useFactory: () => {
            const restMs = config.retentionIntervalSeconds * 1000;
            const retention = { policy: retentionPolicy(config), holder: node, restMs, ...RETENTION };
            return new RetentionLoop(
              new Retention(database, clock, retention, log, metrics),
              { intervalMs: restMs },
              log,
            );
          },
        },
      ],
      exports: [Tick, TickLoop],
    };
  }
}
