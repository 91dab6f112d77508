import { setTimeout as pause } from 'node:timers/promises';
import { checkOrder } from '../support/invariants.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { Storm } from '../support/storm.js';
import type { StopAt, TcpProxy } from '../support/tcp-proxy.js';

const ADMITTED: StopAt = { statement: /^COMMIT/, after: /INSERT INTO task_runs/, side: 'reply' };
const SETTLED: StopAt = { statement: /^COMMIT/, after: /INSERT INTO run_attempts/, side: 'reply' };
/** On PostgreSQL a settle is one statement, which commits by itself, as long as nobody waits for the slots. */
const SETTLED_AT_ONCE: StopAt = { statement: /INSERT INTO run_attempts[\s\S]*AS waiting/, side: 'reply' };
const ROUNDS = 3;

export const lostCommit: Scenario = {
  row: 16,
  name: 'the reply to COMMIT is dropped, of admissions and of settles',
  holds: 'I1 I3 after the retry',
  stacks: EVERYWHERE,
  core: ['mariadb-redis'],
  seconds: 190,
  run: async (world) => {
    await world.open();
    world.target.on('/in-line', () => ({ delayMs: 1_050 }));
    const [ofApi, ofWorker] = [await world.proxy(world.ledger.url), await world.proxy(world.ledger.url)];
    const [api] = await Promise.all([world.api({}, { database: ofApi }), world.worker({}, { database: ofWorker })]);
    const free = await Storm.begin(world, api, 10);
    // Somebody always waits for its slot: a settle releases the next, and has to be a transaction.
    const inLine = await Storm.begin(world, api, 1, { path: '/in-line', max_concurrency: 1 });
    await free.rages();
    for (let round = 0; round < ROUNDS; round++) {
      await drop(ofApi, ADMITTED);
      await drop(ofWorker, SETTLED);
      if (world.isPostgres) await drop(ofWorker, SETTLED_AT_ONCE);
      await pause(world.random.between(0, 1_000));
    }
    await Storm.endAll([free, inLine], api);
    checkOrder(world.findings, inLine.tasks, world.target.calls);
  },
};

/** The database has committed, and nobody hears of it. */
async function drop(proxy: TcpProxy, where: StopAt): Promise<void> {
  (await proxy.stopAt(where)).cut();
}
