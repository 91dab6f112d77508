import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { QueueBackend } from './backend.js';
import { type QueueMemory, TELLING_MS } from './queue-memory.js';

export const MEMORY_TABLE = 'punctual_memory';

/** An unlogged table is empty after a crash, which is when jobs may be missing: their commits do not wait for the disk. */
const CREATE = `CREATE UNLOGGED TABLE IF NOT EXISTS punctual_memory (
  prefix text PRIMARY KEY, told boolean NOT NULL DEFAULT false, telling text, until timestamptz NOT NULL)`;

const TELL = `INSERT INTO punctual_memory AS m (prefix, telling, until)
  VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (prefix) DO UPDATE SET telling = excluded.telling, until = excluded.until
  WHERE NOT m.told AND m.until < clock_timestamp() RETURNING telling`;

/** The mark is a row beside BullMQ's own tables, in their schema: it goes where they go. */
export class PostgresMemory implements QueueMemory {
  constructor(
    private readonly pool: pg.Pool,
    private readonly backend: Pick<QueueBackend, 'ask' | 'prefix'>,
  ) {}

  /** Two who do it at once may meet in the catalogue: one of them has made it, then. */
  async prepare(): Promise<void> {
    await this.pool.query(CREATE).catch(async (error: unknown) => {
      if (!['23505', '42P07'].includes((error as { code?: string }).code ?? '')) throw error;
      await this.pool.query(CREATE);
    });
  }

  lost(): Promise<string | null> {
    const { prefix } = this.backend;
    return this.backend.ask(async () => {
      const known = await this.pool.query('SELECT 1 FROM punctual_memory WHERE prefix = $1 AND told', [prefix]);
      if (known.rowCount === 1) return null;
      const telling = randomUUID();
      const { rowCount } = await this.pool.query(TELL, [prefix, telling, TELLING_MS]);
      return rowCount === 1 ? telling : null;
    });
  }

  async restored(telling: string): Promise<boolean> {
    const sql = 'UPDATE punctual_memory SET told = true, telling = NULL WHERE prefix = $1 AND telling = $2';
    const { rowCount } = await this.backend.ask(() => this.pool.query(sql, [this.backend.prefix, telling]));
    return rowCount === 1;
  }
}
