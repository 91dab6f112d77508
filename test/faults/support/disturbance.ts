import { setTimeout as pause } from 'node:timers/promises';
import type { World } from './world.js';

/** InnoDB ends the transaction that has changed less. */
const BALLAST = 200;
const WAITS = {
  postgresql: `SELECT 1 AS found FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1`,
  mysql: `SELECT 1 AS found FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT' LIMIT 1`,
};
const COUNT = {
  postgresql: 'SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()',
  mysql: "SELECT `COUNT` AS n FROM information_schema.INNODB_METRICS WHERE name = 'lock_deadlocks'",
};
/** How long somebody is waited for who wants the row that is held, and a counter of deadlocks that comes late. */
const WAITED_FOR_MS = 2_000;

/** A stranger who locks the rows of tasks in the order nobody else does: by descending id. */
export class Disturbance {
  private ours = 0;

  private constructor(
    private readonly world: World,
    private readonly tasks: readonly string[],
    private readonly before: number,
  ) {}

  static async begin(world: World, tasks: readonly string[]): Promise<Disturbance> {
    await world.ledger.query('CREATE TABLE ballast (n int)');
    const ascending = [...tasks].sort((a, b) => Number(a) - Number(b));
    return new Disturbance(world, ascending, await counted(world));
  }

  /**
   * Holds the rows of late tasks until somebody waits for one of them who holds those of earlier ones, as settles do, and then wants
   * those. One of the two is ended; which, the seed says, as far as the database can be talked into it.
   */
  async deadlock(): Promise<void> {
    const { ledger, random, isPostgres } = this.world;
    const { tasks } = this;
    const middle = random.between(Math.floor(tasks.length / 4), Math.floor((tasks.length * 3) / 4));
    const isTheirs = random.next() < 0.7;
    const held = await ledger.hold(lock(tasks.slice(middle), 'ASC'));
    if (isTheirs) await held.also(`INSERT INTO ballast VALUES ${Array(BALLAST).fill('(1)').join()}`);
    await this.untilSomebodyWaits();
    // PostgreSQL looks for a deadlock when somebody has waited for a second: they have done so already, and it will be us.
    if (!isTheirs && isPostgres) await pause(1_100);
    await held.also(lock(tasks.slice(0, middle), 'DESC')).catch(() => this.ours++);
    await held.letGo().catch(() => undefined);
  }

  /** How many deadlocks there were, and how many of them this one was ended for. */
  async end(): Promise<{ ours: number; all: number }> {
    const { ours, world, before } = this;
    // Sessions tell PostgreSQL's statistics what happened to them a little later.
    if (world.isPostgres) await pause(WAITED_FOR_MS);
    return { ours, all: (await counted(world)) - before };
  }

  private async untilSomebodyWaits(): Promise<void> {
    const { ledger, isPostgres } = this.world;
    const waits = isPostgres ? WAITS.postgresql : WAITS.mysql;
    for (const end = Date.now() + WAITED_FOR_MS; Date.now() < end; await pause(20))
      if ((await ledger.query(waits)).length > 0) return;
  }
}

const lock = (ids: readonly string[], order: 'ASC' | 'DESC'): string =>
  `SELECT task_id FROM task_states WHERE task_id IN (${ids.join()}) ORDER BY task_id ${order} FOR UPDATE`;

async function counted({ ledger, isPostgres }: World): Promise<number> {
  const [row] = await ledger.query(isPostgres ? COUNT.postgresql : COUNT.mysql);
  return Number(row.n);
}
