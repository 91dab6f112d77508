import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import {
  COMMANDS_QUEUE,
  DeadlineQueue,
  DEADLINES_QUEUE,
  DispatchQueue,
  NoticeQueue,
  NOTICES_QUEUE,
  RUNS_QUEUE,
} from '#queue';
import type { Queue } from 'bullmq';
import { EnqueueDeadlines } from '../callback/enqueue-deadlines.js';
import { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import { QueueDepths } from '../metrics/queue-depths.js';
import { EnqueueNotices } from '../notify/enqueue-notices.js';
import { RescueNotices } from '../notify/rescue-notices.js';
import { Recount } from '../rescue/recount.js';
import { Rescue } from '../rescue/rescue.js';
import { RestoreQueue } from '../rescue/restore-queue.js';
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
        BullModule.registerQueue(
          { name: RUNS_QUEUE },
          { name: COMMANDS_QUEUE },
          { name: NOTICES_QUEUE },
          { name: DEADLINES_QUEUE },
        ),
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
          useFactory: (runs: DispatchQueue, commands: Queue) =>
            new EnqueueRuns(
              { runs, commands: new DispatchQueue(silenced(commands), queue) },
              database,
              clock,
              { dispatchSize: config.dispatchSize },
              log,
              metrics,
              queue.signals,
              platform.tracing,
            ),
          inject: [DispatchQueue, getQueueToken(COMMANDS_QUEUE)],
        },
        {
          provide: EnqueueNotices,
          useFactory: (notices: Queue) => new EnqueueNotices(new NoticeQueue(silenced(notices), queue), clock, log),
          inject: [getQueueToken(NOTICES_QUEUE)],
        },
        {
          provide: EnqueueDeadlines,
          useFactory: (deadlines: Queue) =>
            new EnqueueDeadlines(new DeadlineQueue(silenced(deadlines), queue), clock, log),
          inject: [getQueueToken(DEADLINES_QUEUE)],
        },
        {
          provide: QueueDepths,
          useFactory: (...queues: Queue[]) => new QueueDepths(queues, queue),
          inject: [getQueueToken(RUNS_QUEUE), getQueueToken(COMMANDS_QUEUE), getQueueToken(NOTICES_QUEUE)],
        },
        {
          provide: Rescue,
          useFactory: (enqueue: EnqueueRuns, notices: EnqueueNotices, deadlines: EnqueueDeadlines) =>
            new Rescue(database, clock, { enqueue, notices, deadlines }, log, metrics, {
              alerts: platform.alerts,
              attemptsPerRun: config.retentionAttemptsPerRun,
            }),
          inject: [EnqueueRuns, EnqueueNotices, EnqueueDeadlines],
        },
        {
          provide: RescueNotices,
          useFactory: (notices: EnqueueNotices) => new RescueNotices(database, clock, notices, metrics),
          inject: [EnqueueNotices],
        },
        {
          provide: RestoreQueue,
          useFactory: (enqueue: EnqueueRuns, notices: EnqueueNotices) =>
            new RestoreQueue(database, clock, queue.memory, enqueue, notices, log, metrics),
          inject: [EnqueueRuns, EnqueueNotices],
        },
        {
          provide: Recount,
          useFactory: (enqueue: EnqueueRuns) => new Recount(database, clock, enqueue, log, metrics),
          inject: [EnqueueRuns],
        },
      ],
      exports: [
        ...[PLATFORM, DispatchQueue, EnqueueRuns, EnqueueNotices, EnqueueDeadlines, Rescue, RescueNotices, Recount],
        ...[RestoreQueue, BullModule, QueueDepths],
      ],
    };
  }
}

/** BullMQ repeats every connection error as an event; the backend has said it once already. */
function silenced(queue: Queue): Queue {
  queue.on('error', () => undefined);
  return queue;
}
