import { Logger, makeWorkerUtils, type WorkerUtils } from 'graphile-worker';
import pg from 'pg';
import { Child } from '../support/child.js';
import { type Contender, groups, until } from './contender.js';

export const silent = new Logger(() => () => undefined);

/** graphile-worker with a local queue and batched completion, as its documentation tunes it. It keeps nothing of a job. */
export class GraphileWorker implements Contender {
  readonly name: string;
  private count = 0;

  private constructor(
    private readonly args: { databaseUrl: string; targetUrl: string; concurrency: number; history: boolean },
    private readonly utils: WorkerUtils,
    private readonly pool: pg.Pool,
  ) {
    this.name = args.history ? 'graphile-worker + history' : 'graphile-worker, tuned';
  }

  /** @param args.history with the product's tables in its database: writes the same rows about each run, in groups */
  static async open(args: GraphileWorker['args']): Promise<GraphileWorker> {
    const pool = new pg.Pool({ connectionString: args.databaseUrl });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    const utils = await makeWorkerUtils({ pgPool: pool, logger: silent });
    await utils.migrate();
    return new GraphileWorker(args, utils, pool);
  }

  async handIn(count: number): Promise<void> {
    const due = new Date().toISOString();
    for (const group of groups(count, 1_000)) {
      const payloads = group.map(() => ({ id: `${Date.now()}-${++this.count}`, due }));
      if (this.args.history) await this.pool.query(INSERT_RUNS, [JSON.stringify(payloads)]);
      await this.utils.addJobs(payloads.map((payload) => ({ identifier: 'call', payload })));
    }
  }

  async startWorker(): Promise<Child> {
    const { databaseUrl, targetUrl, concurrency, history } = this.args;
    const args = [databaseUrl, targetUrl, String(concurrency), history ? 'history' : ''];
    const worker = Child.start('processes/graphile-worker.js', args);
    await worker.ready();
    return worker;
  }

  finished(): Promise<void> {
    const open = 'SELECT EXISTS (SELECT 1 FROM graphile_worker._private_jobs) AS open';
    return until(async () => !(await this.pool.query<{ open: boolean }>(open)).rows[0].open, `${this.name} is done`);
  }

  async clear(): Promise<void> {
    await this.pool.query('TRUNCATE graphile_worker._private_jobs');
    if (this.args.history) await this.pool.query('TRUNCATE task_runs, run_attempts, run_alarms');
  }

  async close(): Promise<void> {
    await this.utils.release();
    await this.pool.end();
  }
}

const INSERT_RUNS = `INSERT INTO task_runs (id, task_id, task_name, trigger, status, scheduled_time, queued_at, trace_id)
  SELECT id, 1, 'graphile', 'API', 'SCHEDULED', due, now() AT TIME ZONE 'UTC', repeat('0', 32)
  FROM json_to_recordset($1::json) AS v(id varchar(64), due timestamp)`;
