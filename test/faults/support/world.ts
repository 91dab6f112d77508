import { randomBytes } from 'node:crypto';
import {
  createTestDatabase,
  eventually,
  type MySqlServer,
  type PostgresServer,
  type RedisServer,
  type StackName,
  startMariaDb,
  startMySql,
  startPostgres,
  startRedis,
} from '#testing';
import { FleetProcess } from '../../e2e/support/fleet.js';
import type { Bounds } from './invariants.js';
import { Ledger } from './ledger.js';
import type { Random } from './random.js';
import { Findings } from './scenario.js';
import type { SharedServers } from './shared-servers.js';
import { TargetLog } from './target-log.js';
import { TcpProxy } from './tcp-proxy.js';

/** What is lost is found as soon as the product can: a lease of 5 s is the shortest there is. */
const QUICK = { LEASE_SECONDS: '5', RESCUE_INTERVAL_MS: '500', DATABASE_POOL_SIZE: '5' };

/** For the busiest of machines: only a scenario that fails uses it up. */
const PATIENCE_MS = 240_000;

type Env = Record<string, string>;

/** By which way a process reaches its servers; straight, unless a proxy is named. */
export interface Through {
  database?: TcpProxy;
  redis?: TcpProxy;
}

/** Everything one scenario has on one stack: servers, proxies, processes of the product, a target. Gone with `close`. */
export class World {
  readonly findings = new Findings();
  readonly processes: FleetProcess[] = [];
  target: TargetLog;
  ledger: Ledger;
  redisUrl: string | undefined;
  /** When the last fault was over, in milliseconds. */
  overAt = 0;
  readonly queuePrefix = `f_${randomBytes(6).toString('hex')}`;
  private readonly goneAt = new Map<number, number>();
  private leaseSeconds = 0;
  private readonly ends: (() => Promise<unknown>)[] = [];
  private tasks = 0;

  constructor(
    readonly stack: StackName,
    readonly random: Random,
    private readonly shared: SharedServers,
    readonly say: (line: string) => void,
    /** What the scenario says must hold. */
    readonly promises = '',
  ) {}

  get isPostgres(): boolean {
    return this.stack === 'embedded' || this.stack === 'postgres-redis';
  }

  get bounds(): Bounds {
    const { overAt, leaseSeconds, goneAt } = this;
    return { overAt: overAt / 1000, leaseSeconds, goneAt: (pid) => goneAt.get(pid) };
  }

  /** A target, and a database and a queue on shared servers; a scenario that hurts one of them brings its own before. */
  async open({ databaseUrl, redisUrl }: { databaseUrl?: string; redisUrl?: string } = {}): Promise<void> {
    this.target = this.kept(await TargetLog.start(), (target) => target.close());
    this.ledger = new Ledger(databaseUrl ?? (await this.shared.newDatabase(this.stack)));
    if (this.stack !== 'embedded') this.redisUrl = redisUrl ?? (await this.shared.redisUrl());
  }

  /** A database server of this scenario's own, which loses nothing it has committed. */
  async ownDatabase(below?: string): Promise<(PostgresServer | MySqlServer) & { databaseUrl: string }> {
    const start = this.isPostgres ? startPostgres : this.stack === 'mysql-redis' ? startMySql : startMariaDb;
    const server: PostgresServer | MySqlServer = this.kept(await start({ durable: true, below }), (one) => one.stop());
    const { url } = await createTestDatabase(server.url());
    return Object.defineProperty(server, 'databaseUrl', { value: url }) as typeof server & { databaseUrl: string };
  }

  async ownRedis(args: string[] = []): Promise<RedisServer> {
    return this.kept(await startRedis({ args }), (one) => one.stop());
  }

  async proxy(serverUrl: string): Promise<TcpProxy> {
    return this.kept(await TcpProxy.start(serverUrl), (one) => one.close());
  }

  api(env: Env = {}, through?: Through): Promise<FleetProcess> {
    return this.ready('api', env, through);
  }

  worker(env: Env = {}, through?: Through): Promise<FleetProcess> {
    return this.ready('worker', env, through);
  }

  /** Not waited for. */
  async start(app: 'api' | 'worker', env: Env = {}, through: Through = {}): Promise<FleetProcess> {
    const stack = {
      databaseUrl: through.database?.url ?? this.ledger.url,
      redisUrl: through.redis?.url ?? this.redisUrl,
      queuePrefix: this.queuePrefix,
    };
    const whole = { ...QUICK, ...env };
    const process = await FleetProcess.start(app, stack, whole);
    this.leaseSeconds = Math.max(this.leaseSeconds, Number(whole.LEASE_SECONDS));
    void process.ended.then(() => this.goneAt.set(process.child.pid!, Date.now() / 1000));
    this.processes.push(process);
    return process;
  }

  agent(api: FleetProcess, name: string, env: Env = {}): FleetProcess {
    const agent = FleetProcess.agent(api.url, name, env);
    this.processes.push(agent);
    return agent;
  }

  /** A task that calls this scenario's target, at a path of its own unless one is given. */
  async task(api: FleetProcess, fields: object = {}, path?: string): Promise<string> {
    const name = `task-${++this.tasks}`;
    const body = { name, target_url: `${this.target.url}${path ?? `/${name}`}`, timeout_seconds: 600, ...fields };
    return (await api.post<{ id: string }>('/tasks', body)).id;
  }

  /** A run of a new task. */
  async trigger(api: FleetProcess, fields: object = {}, path?: string): Promise<string> {
    return (await api.post<{ id: string }>(`/tasks/${await this.task(api, fields, path)}/runs`, {})).id;
  }

  /** Says so, and keeps what it started from being forgotten. */
  kept<Part>(part: Part, end: (part: Part) => Promise<unknown>): Part {
    this.ends.push(() => end(part));
    return part;
  }

  until(ask: () => unknown, what: string, timeoutMs = PATIENCE_MS): Promise<unknown> {
    return eventually(async () => Boolean(await ask()), what, timeoutMs);
  }

  async close(): Promise<void> {
    for (const { child } of this.processes) child.kill('SIGCONT');
    await Promise.allSettled(this.processes.map((one) => one.stop('SIGKILL')));
    for (const end of this.ends.splice(0).reverse()) await end().catch((error: Error) => this.say(error.message));
  }

  private async ready(app: 'api' | 'worker', env: Env, through?: Through): Promise<FleetProcess> {
    const process = await this.start(app, env, through);
    await process.ready(PATIENCE_MS);
    return process;
  }
}
