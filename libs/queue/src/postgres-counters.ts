import type pg from 'pg';
import type { QueueBackend } from './backend.js';
import type { Counters, CountWindow } from './counters.js';

export const COUNTS_TABLE = 'punctual_counts';

/** Kept in memory rather than on disk: a crash empties it, which lifts a limit for one window. */
const CREATE = `CREATE UNLOGGED TABLE IF NOT EXISTS punctual_counts
  (name varchar(255) COLLATE "C" PRIMARY KEY, start_ms bigint NOT NULL, total bigint NOT NULL) WITH (fillfactor = 50)`;
/** Any number: it only has to differ from the locks of others. */
const LOCK = 72_707_370;

/** A row for each name, rewritten as its window moves on; an older window than the one that is there counts into that. */
const ADD = `INSERT INTO punctual_counts AS c (name, start_ms, total) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET start_ms = greatest(c.start_ms, excluded.start_ms),
    total = CASE WHEN c.start_ms >= excluded.start_ms THEN c.total + excluded.total ELSE excluded.total END
  RETURNING total`;
const FORGET = 'DELETE FROM punctual_counts WHERE start_ms < $1';

/** Windows are a minute long at most: what is older than this counts for nothing. */
const KEPT_MS = 600_000;

/** Beside BullMQ's own tables, on connections that do not wait for the disk. */
export class PostgresCounters implements Counters {
  private forgottenAt = 0;

  constructor(
    private readonly pool: pg.Pool,
    private readonly backend: Pick<QueueBackend, 'ask' | 'prefix'>,
  ) {}

  /** By one process at a time: of two that create the same table at once, one would fail. */
  static async prepare(client: pg.PoolClient): Promise<void> {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK}); ${CREATE}; COMMIT`);
  }

  async add({ name, start }: CountWindow, amount: number): Promise<number> {
    const { rows } = await this.backend.ask(() =>
      this.pool.query<{ total: string }>({
        name: 'punctual_count',
        text: ADD,
        values: [`${this.backend.prefix}:${name}`, start, amount],
      }),
    );
    this.forget(start);
    return Number(rows[0].total);
  }

  /** Addresses that have gone away leave their rows behind. */
  private forget(now: number): void {
    if (now - this.forgottenAt < KEPT_MS) return;
    this.forgottenAt = now;
    this.backend.ask(() => this.pool.query(FORGET, [now - KEPT_MS])).catch(() => undefined);
  }
}
