import { type DynamicModule, Module } from '@nestjs/common';
import { isLoopback } from '#config';
import { TargetClient } from '#outbound';
import {
  CancelWatch,
  DefinitionCache,
  EnqueueRuns,
  ExecuteDispatch,
  Execution,
  LeaseKeeper,
  type Platform,
  PlatformModule,
  Recount,
  RecountLoop,
  Rescue,
  RescueLoop,
  RunPool,
  SettleGroup,
} from '#pipeline';
import { RunProcessor } from './run.processor.js';

/** execute and settle, put together: from a dispatch in the queue to a closed run. */
@Module({})
export class ExecuteModule {
  static of(platform: Platform): DynamicModule {
    const { config, database, clock, log, metrics, node } = platform;
    const leaseMs = config.leaseSeconds * 1000;
    return {
      module: ExecuteModule,
      imports: [PlatformModule.of(platform)],
      providers: [
        RunProcessor,
        { provide: TargetClient, useFactory: () => targetClient(platform) },
        { provide: DefinitionCache, useFactory: () => new DefinitionCache(database) },
        {
          provide: Execution,
          useFactory: (definitions: DefinitionCache, client: TargetClient) => new Execution(definitions, client, clock),
          inject: [DefinitionCache, TargetClient],
        },
        {
          provide: SettleGroup,
          useFactory: (enqueue: EnqueueRuns) => new SettleGroup(database, clock, enqueue, log, metrics),
          inject: [EnqueueRuns],
        },
        {
          provide: RunPool,
          useFactory: (definitions: DefinitionCache, execution: Execution, settle: SettleGroup) => {
            const options = { node, leaseMs, concurrency: config.workerConcurrency };
            return new RunPool(database, clock, definitions, execution, settle, options, log, metrics);
          },
          inject: [DefinitionCache, Execution, SettleGroup],
        },
        {
          provide: ExecuteDispatch,
          useFactory: (pool: RunPool, enqueue: EnqueueRuns) => new ExecuteDispatch(pool, enqueue, clock),
          inject: [RunPool, EnqueueRuns],
        },
        {
          provide: LeaseKeeper,
          useFactory: (pool: RunPool) => new LeaseKeeper(database, clock, pool, { leaseMs }, log),
          inject: [RunPool],
        },
        {
          provide: CancelWatch,
          useFactory: (pool: RunPool) => new CancelWatch(database, pool, log),
          inject: [RunPool],
        },
        {
          provide: RescueLoop,
          useFactory: (rescue: Rescue) => new RescueLoop(rescue, { intervalMs: config.rescueIntervalMs }, log),
          inject: [Rescue],
        },
        {
          provide: RecountLoop,
          useFactory: (recount: Recount) => new RecountLoop(recount, { database, clock }, log),
          inject: [Recount],
        },
      ],
    };
  }
}

function targetClient({ config }: Platform): TargetClient {
  return new TargetClient({
    maxConnectionsPerHost: config.outboundConnectionsPerHost,
    allowLoopback: isLoopback(config.host),
    allow: [...config.outboundAllow],
    deny: [...config.outboundDeny],
    userAgent: 'Punctual/0.1',
  });
}
