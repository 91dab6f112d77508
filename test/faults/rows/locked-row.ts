import { setTimeout as pause } from 'node:timers/promises';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { checkAll, Storm } from '../support/storm.js';

const HELD_MS = 60_000;
const RUNS = 6;
const COMPLAINT = /a task is locked: its results wait/g;

export const lockedRow: Scenario = {
  row: 20,
  name: 'a row lock held for 60 s that settles need, with a pool of 2',
  holds: 'a timeout, not a hang',
  stacks: EVERYWHERE,
  seconds: 100,
  run: async (world) => {
    await world.open();
    const { ledger, target, findings } = world;
    const api = await world.api();
    const worker = await world.worker({ DATABASE_POOL_SIZE: '2', DATABASE_TIMEOUT_MS: '4000', LEASE_SECONDS: '300' });
    const locked = await world.task(api, { max_concurrency: 0 }, '/locked');
    target.on('/locked', () => ({ delayMs: 2_000 }));
    const ids: string[] = [];
    while (ids.length < RUNS) ids.push((await api.post<{ id: string }>(`/tasks/${locked}/runs`, {})).id);
    await Promise.all(ids.map((id) => target.called(id)));
    const held = await ledger.hold(`SELECT task_id FROM task_states WHERE task_id = ${locked} FOR UPDATE`);
    const heldAt = Date.now();
    const storm = await Storm.begin(world, api, 3, { every: 5 });
    await pause(HELD_MS - (Date.now() - heldAt));
    const open = (await Promise.all(ids.map((id) => ledger.run(id)))).filter((run) => run.status === 'RUNNING');
    findings.expect(open.length === RUNS, `the lock was not in the way: ${RUNS - open.length} runs have ended`);
    // Others go on meanwhile: their results are closed, if more slowly.
    const others = (await ledger.runs(`task_id <> ${locked}`)).filter((run) => run.scheduled < Date.now() / 1000 - 30);
    const stuck = others.filter((run) => run.status !== 'SUCCESS');
    findings.expect(
      others.length > 0 && stuck.length === 0,
      () => `others hang behind it: ${stuck.map((run) => `${run.id} ${run.status}`).join(', ')}`,
    );
    findings.expect((await worker.status('/healthz')) === 200, 'the worker does not answer any more');
    // Given up by the database, not waited for until the end.
    const complaints = worker.output.match(COMPLAINT)?.length ?? 0;
    findings.expect(complaints > 0, 'the worker has said nothing of a lock that it waited for in vain');
    await held.letGo();
    const overAt = Date.now();
    await world.until(
      async () => (await Promise.all(ids.map((id) => ledger.run(id)))).every((run) => run.status === 'SUCCESS'),
      'its runs are closed',
      60_000,
    );
    findings.recoverySeconds = (Date.now() - overAt) / 1000;
    await storm.end(api);
    await checkAll(world);
  },
};
