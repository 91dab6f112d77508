import { setTimeout as pause } from 'node:timers/promises';
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
  core: ['mariadb-redis'],
  seconds: 45,
  weight: 2,
  run: async (world) => {
    await world.open();
    const apis = await Promise.all([world.api(), world.api(), world.api(), world.api()]);
    await world.worker();
    const storm = await Storm.begin(world, apis[0], TASKS);
    await storm.rages();
    await failNowAndThen(world);
    const disturbed = await disturb(world, storm, SECONDS * 1000);
    const failed = await stopFailing(world);
    world.findings.notes.push(
      `${failed} statements failed to serialise, ${disturbed} times locks were taken the wrong way round on ${world.stack}`,
    );
    world.findings.expect(failed > 0, 'nothing has failed: the scenario shows nothing');
    await storm.recovers(Date.now());
    await storm.end(apis[0]);
  },
};

/** The database itself refuses some inserts, as it would a transaction that cannot be serialised. A sequence counts them: it is not rolled back. */
async function failNowAndThen({ ledger, isPostgres }: World): Promise<void> {
  await ledger.query('CREATE SEQUENCE refused');
  if (!isPostgres) {
    await ledger.query(
      `CREATE TRIGGER refuse BEFORE INSERT ON task_runs FOR EACH ROW BEGIN
         IF RAND() < 0.01 THEN SET @n = NEXT VALUE FOR refused; SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF; END`,
    );
    return;
  }
  await ledger.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF random() < 0.2 THEN PERFORM nextval('refused'); RAISE EXCEPTION 'refused' USING ERRCODE = '40001'; END IF; RETURN NULL; END $$`,
  );
  await ledger.query('CREATE TRIGGER refuse BEFORE INSERT ON task_runs FOR EACH STATEMENT EXECUTE FUNCTION refuse()');
}

async function stopFailing({ ledger, isPostgres }: World): Promise<number> {
  await ledger.query(isPostgres ? 'DROP TRIGGER refuse ON task_runs' : 'DROP TRIGGER refuse');
  const count = isPostgres ? 'SELECT last_value AS n FROM refused' : 'SELECT NEXT VALUE FOR refused - 1 AS n';
  const [{ n }] = await ledger.query(count);
  return Number(n);
}

/** Locks rows of two tasks in the order nobody else does. Whoever is ended for the deadlock has to try again. */
async function disturb({ ledger, random }: World, { tasks }: Storm, forMs: number): Promise<number> {
  let times = 0;
  for (const end = Date.now() + forMs; Date.now() < end; times++) {
    const low = random.between(0, tasks.length - 2);
    const [first, second] = [tasks[random.between(low + 1, tasks.length - 1)].id, tasks[low].id];
    const lock = (id: string) => `SELECT task_id FROM task_states WHERE task_id = ${id} FOR UPDATE`;
    const held = await ledger.hold(lock(first));
    await pause(random.between(5, 30));
    // The same session takes the second lock; the deadlock, if there is one, is ours or theirs.
    await held.also(lock(second)).catch(() => undefined);
    await held.letGo().catch(() => undefined);
  }
  return times;
}
