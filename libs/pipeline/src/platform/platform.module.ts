import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { DispatchQueue, RUNS_QUEUE } from '#queue';
import type { Queue } from 'bullmq';
import { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import { Recount } from '../rescue/recount.js';
import { Rescue } from '../rescue/rescue.js';
import type { Platform } from './open-platform.js';

/** Injects the Platform itself. */
export const PLATFORM = Symbol('Platform');

/** The queue and what writes to it, for any process. The platform must be ready. */
@Module({})
export class PlatformModule {
  static of(platform: Platform): DynamicModule {
    const { queue, clock, config, database, log, metrics } = platform;
    return {
      global: true,
      module: PlatformModule,
      imports: [
        BullModule.forRoot({ connection: queue.connection, prefix: queue.prefix }),
        BullModule.registerQueue({ name: RUNS_QUEUE }),
      ],
      providers: [
        { provide: PLATFORM, useValue: platform },
        {
          provide: DispatchQueue,
          useFactory: (runs: Queue) => new DispatchQueue(silenced(runs), queue),
          inject: [getQueueToken(RUNS_QUEUE)],
        },
        {
          provide: EnqueueRuns,
          useFactory: (dispatches: DispatchQueue) =>
            new EnqueueRuns(
              dispatches,
              database,
              clock,
              { dispatchSize: config.dispatchSize },
              log,
              metrics,
              queue.signals,
            ),
          inject: [DispatchQueue],
        },
        {
          provide: Rescue,
          useFactory: (enqueue: EnqueueRuns) => new Rescue(database, clock, enqueue, log, metrics),
          inject: [EnqueueRuns],
        },
        {
          provide: Recount,
          useFactory: (enqueue: EnqueueRuns) => new Recount(database, clock, enqueue, log, metrics),
          inject: [EnqueueRuns],
        },
      ],
      exports: [PLATFORM, DispatchQueue, EnqueueRuns, Rescue, Recount, BullModule],
    };
  }
}

/** BullMQ repeats every connection error as an event; the backend has said it once already. */
function silenced(queue: Queue): Queue {
  queue.on('error', () => undefined);
  return queue;
}
