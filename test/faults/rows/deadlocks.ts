import { setTimeout as pause } from 'node:timers/promises';
import { Disturbance } from '../support/disturbance.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { Storm } from '../support/storm.js';
import type { World } from '../support/world.js';

const TASKS = 25;
const SECONDS = 15;

export const deadlocks: Scenario = {
  row: 19,
  name: 'deadlocks and serialisation failures under four schedulers',
  holds: 'I1, retried',
  stacks: EVERYWHERE,
  core: ['mariadb-redis', 'mysql-redis'],
  seconds: 45,
  weight: 2,
  run: async (world) => {
    await world.open();
    const { findings, random, stack } = world;
    const apis = await Promise.all([world.api(), world.api(), world.api(), world.api()]);
    await world.worker();
    world.target.on('/slow', () => ({ delayMs: 400 }));
    const storm = await Storm.begin(world, apis[0], TASKS, { path: '/slow' });
    await storm.rages();
    const refusals = await Refusals.begin(world);
    const disturbance = await Disturbance.begin(
      world,
      storm.tasks.map(({ id }) => id),
    );
    for (const end = Date.now() + SECONDS * 1000; Date.now() < end; await disturbance.deadlock()) {
      // Between the tick, which passes over what is locked, and the settle, which waits for it.
      await pause(1_000 - (Date.now() % 1_000) + random.between(150, 300));
    }
    const refused = await refusals.end();
    const { ours, all } = await disturbance.end();
    findings.notes.push(
      `${refused} statements refused, ${all} deadlocks on ${stack}: ${all - ours} times the product’s transaction was ended`,
    );
    findings.expect(refused > 0, 'nothing has failed to serialise: the scenario shows nothing');
    findings.expect(
      all > ours,
      `of ${all} deadlocks none was broken on the product’s side: the scenario shows nothing`,
    );
    await storm.recovers(Date.now());
    await storm.end(apis[0]);
  },
};

/**
 * The database itself refuses one in so many inserts, as it would a transaction that cannot be serialised; one in how many
 * is the seed's choice. What counts them is not rolled back: a sequence, and on MySQL, which has none, a table without transactions.
 */
class Refusals {
  private constructor(
    private readonly world: World,
    private readonly oneIn: number,
  ) {}

  static async begin(world: World): Promise<Refusals> {
    const { ledger, isPostgres, random } = world;
    // PostgreSQL asks per statement, MySQL per row, of which a statement has at most as many as there are tasks.
    const oneIn = isPostgres ? random.between(4, 6) : random.between(TASKS + 5, 2 * TASKS);
    for (const statement of isPostgres ? onPostgres(oneIn) : onMySql(oneIn)) await ledger.query(statement);
    return new Refusals(world, oneIn);
  }

  /** Gives how many were refused. */
  async end(): Promise<number> {
    const { ledger, isPostgres } = this.world;
    await ledger.query(isPostgres ? 'DROP TRIGGER refuse ON task_runs' : 'DROP TRIGGER refuse');
    const count = isPostgres ? 'SELECT last_value AS n FROM inserts' : 'SELECT n FROM inserts';
    const [{ n }] = await ledger.query(count);
    return Math.floor(Number(n) / this.oneIn);
  }
}

const onPostgres = (oneIn: number): string[] => [
  'CREATE SEQUENCE inserts',
  `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF nextval('inserts') % ${oneIn} = 0 THEN RAISE EXCEPTION 'refused' USING ERRCODE = '40001'; END IF; RETURN NULL; END $$`,
  'CREATE TRIGGER refuse BEFORE INSERT ON task_runs FOR EACH STATEMENT EXECUTE FUNCTION refuse()',
];

const onMySql = (oneIn: number): string[] => [
  'CREATE TABLE inserts (n int NOT NULL) ENGINE = MyISAM',
  'INSERT INTO inserts VALUES (0)',
  `CREATE TRIGGER refuse BEFORE INSERT ON task_runs FOR EACH ROW BEGIN
     UPDATE inserts SET n = n + 1;
     IF (SELECT n FROM inserts) % ${oneIn} = 0 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF; END`,
];
