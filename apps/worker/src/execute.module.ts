import path from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { isLoopback, trustedOf } from '#config';
import type { Executor } from '#domain';
import { createHttpClient, TargetClient } from '#outbound';
import {
  CallbackAddress,
  CallbackTokens,
  CancelWatch,
  DefinitionCache,
  DeliverNotice,
  EarlyDispatches,
  Elsewhere,
  EnqueueDeadlines,
  EnqueueNotices,
  EnqueueRuns,
  ExecuteDispatch,
  Execution,
  HandOn,
  LeaseKeeper,
  NoticeRequests,
  type Platform,
  PlatformModule,
  Recount,
  RecountLoop,
  Rescue,
  RescueLoop,
  RescueNotices,
  RestoreQueue,
  RunPool,
  SettleGroup,
  WatchDeadlines,
} from '#pipeline';
import { ShellClient } from '#shell';
import { CommandProcessor } from './command.processor.js';
import { DeadlineProcessor } from './deadline.processor.js';
import { NotifyProcessor } from './notify.processor.js';
import { RunProcessor } from './run.processor.js';

/** execute and settle, put together: from a dispatch in the queue to a closed run. */
@Module({})
export class ExecuteModule {
  static of(platform: Platform): DynamicModule {
    const { config, database, clock, log, metrics, node, tracing } = platform;
    const leaseMs = config.leaseSeconds * 1000;
    return {
      module: ExecuteModule,
      imports: [PlatformModule.of(platform)],
      providers: [
        RunProcessor,
        ...(config.shellExecutor ? [CommandProcessor] : []),
        NotifyProcessor,
        DeadlineProcessor,
        { provide: TargetClient, useFactory: () => targetClient(platform) },
        { provide: ShellClient, useFactory: () => shellClient(platform) },
        { provide: DefinitionCache, useFactory: () => new DefinitionCache(database, platform.secrets) },
        {
          provide: Execution,
          useFactory: (client: TargetClient, shell: ShellClient) => {
            const tokens = new CallbackTokens(database, new CallbackAddress(database, config, log), log);
            return new Execution(client, clock, tokens, config.shellExecutor ? shell : null, tracing);
          },
          inject: [TargetClient, ShellClient],
        },
        {
          provide: WatchDeadlines,
          useFactory: (rescue: Rescue) => new WatchDeadlines(clock, rescue),
          inject: [Rescue],
        },
        {
          provide: SettleGroup,
          useFactory: (enqueue: EnqueueRuns, notices: EnqueueNotices, deadlines: EnqueueDeadlines) =>
            new SettleGroup(database, clock, enqueue, notices, log, metrics, {
              lanes: 2,
              alerts: platform.alerts,
              tracing,
              onWaiting: (runs) => void deadlines.add(runs),
              attemptsPerRun: config.retentionAttemptsPerRun,
            }),
          inject: [EnqueueRuns, EnqueueNotices, EnqueueDeadlines],
        },
        {
          provide: DeliverNotice,
          useFactory: (client: TargetClient, enqueue: EnqueueNotices) => deliverNotice(platform, client, enqueue),
          inject: [TargetClient, EnqueueNotices],
        },
        {
          provide: HandOn,
          useFactory: (enqueue: EnqueueRuns, definitions: DefinitionCache) =>
            new HandOn(database, enqueue, clock, metrics, definitions, leaseMs),
          inject: [EnqueueRuns, DefinitionCache],
        },
        {
          provide: RunPool,
          useFactory: (definitions: DefinitionCache, execution: Execution, settle: SettleGroup, handOn: HandOn) => {
            const hosts = hostOptions(config);
            const options = { node, leaseMs, concurrency: config.workerConcurrency, hosts, tracing };
            return new RunPool(database, clock, definitions, execution, settle, handOn, options, log, metrics);
          },
          inject: [DefinitionCache, Execution, SettleGroup, HandOn],
        },
        {
          provide: ExecuteDispatch,
          useFactory: (pool: RunPool, definitions: DefinitionCache, enqueue: EnqueueRuns) => {
            const elsewhere = new Elsewhere(enqueue, database, clock, metrics);
            return new ExecuteDispatch(pool, definitions, elsewhere, executorsOf(config), new EarlyDispatches(clock));
          },
          inject: [RunPool, DefinitionCache, EnqueueRuns],
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
          useFactory: (restore: RestoreQueue, rescue: Rescue, notices: RescueNotices) =>
            new RescueLoop(restore, rescue, notices, { intervalMs: config.rescueIntervalMs }, log),
          inject: [RestoreQueue, Rescue, RescueNotices],
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

/** A call without a connection would spend its time limit waiting for one: a host never gets more slots than that. */
function hostOptions(config: Platform['config']) {
  const { targetConcurrencyPerHost: given, outboundConnectionsPerHost: connections } = config;
  const most = Math.min(given || connections, connections);
  return { rules: { most, shares: given === 0, rate: config.targetRatePerHost }, places: config.workerConcurrency };
}

const executorsOf = ({ shellExecutor }: Platform['config']): Set<Executor> =>
  new Set(shellExecutor ? ['HTTP', 'SHELL'] : ['HTTP']);

function shellClient({ config }: Platform): ShellClient {
  const stateDir = path.resolve(config.shellStateDir || path.join(config.dataDir, 'shell'));
  return new ShellClient({ env: config.shellEnv, stateDir });
}

/** How much of a receiver's answer is kept, to tell what it did not like. */
const ANSWER_BYTES = 512;

function deliverNotice(platform: Platform, client: TargetClient, enqueue: EnqueueNotices): DeliverNotice {
  const { config, database, clock, secrets, log, metrics } = platform;
  const timeoutMs = config.notifyTimeoutSeconds * 1000;
  const requests = new NoticeRequests(secrets, { url: config.alertUrl, sk: config.alertSk }, timeoutMs);
  // With a quarter of the places each, it takes four receivers that hang to hold up all others.
  const mostPerHost = Math.max(1, Math.ceil(config.notifyConcurrency / 4));
  const options = { timeoutMs, mostPerHost, retrySeconds: config.notifyRetrySeconds };
  const http = createHttpClient({ client, timeoutMs, maxBodyBytes: ANSWER_BYTES, longBody: 'cut' });
  return new DeliverNotice(database, clock, http, requests, enqueue, options, log, metrics);
}

function targetClient({ config }: Platform): TargetClient {
  return new TargetClient({
    maxConnectionsPerHost: config.outboundConnectionsPerHost,
    allowLoopback: isLoopback(config.host),
    allow: [...config.outboundAllow],
    deny: [...config.outboundDeny],
    trusted: trustedOf(config.outboundCaFile),
    proxy: config.outboundProxy,
    userAgent: 'Punctual/0.1',
  });
}
