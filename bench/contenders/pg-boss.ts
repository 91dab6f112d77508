import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { Child } from '../support/child.js';
import { type Contender, groups, until } from './contender.js';

/** pg-boss with batches, as its documentation advises for throughput; its own job rows are its history. */
export class PgBossContender implements Contender {
  readonly name = 'pg-boss, tuned';

  private constructor(
    private readonly databaseUrl: string,
    private readonly targetUrl: string,
    private readonly concurrency: number,
    private readonly boss: PgBoss,
    private readonly pool: pg.Pool,
  ) {}

  static async open(databaseUrl: string, targetUrl: string, concurrency: number): Promise<PgBossContender> {
    const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
    await boss.start();
    await boss.createQueue('calls');
    return new PgBossContender(
      databaseUrl,
      targetUrl,
      concurrency,
      boss,
      new pg.Pool({ connectionString: databaseUrl }),
    );
  }

  async handIn(count: number): Promise<void> {
    const due = new Date().toISOString();
    for (const group of groups(count, 1_000)) {
      await this.boss.insert(
        'calls',
        group.map((i) => ({ data: { id: `boss-${i}`, due } })),
      );
    }
  }

  async startWorker(): Promise<Child> {
    const worker = Child.start('processes/pg-boss.js', [this.databaseUrl, this.targetUrl, String(this.concurrency)]);
    await worker.ready();
    return worker;
  }

  finished(): Promise<void> {
    const open = `SELECT EXISTS (SELECT 1 FROM pgboss.job WHERE name = 'calls' AND state < 'completed') AS open`;
    return until(async () => !(await this.pool.query<{ open: boolean }>(open)).rows[0].open, 'pg-boss is done');
  }

  async clear(): Promise<void> {
    await this.pool.query('TRUNCATE pgboss.job');
  }

  async close(): Promise<void> {
    await this.boss.stop({ graceful: false });
    await this.pool.end();
  }
}
