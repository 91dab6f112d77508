import { ClosedDoor } from '../../e2e/support/closed-door.js';
import type { FleetProcess } from '../../e2e/support/fleet.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { checkAll } from '../support/storm.js';
import type { StopAt, TcpProxy } from '../support/tcp-proxy.js';
import type { World } from '../support/world.js';

const RETRIES = { retry_policy_json: { strategy: 'fixed', max_attempts: 3, interval_seconds: 1 } };
const CLAIM = /status = 'RUNNING', (r\.)?exec_id = (v\.exec_id|INSERT)/;
const SETTLE = /INSERT INTO run_attempts/;

export const workerKilled: Scenario = {
  row: 6,
  name: 'kill -9 worker before, during and after its call, before and after its settle',
  holds: 'I2 I3, attempts ≤ max',
  stacks: EVERYWHERE,
  core: ['mariadb-redis'],
  seconds: 200,
  run: async (world) => {
    await world.open();
    world.target.on('/hangs-first', ({ attempt }) => (attempt === 1 ? { hang: true } : {}));
    const api = await world.api();
    await atStatement(world, api, { statement: CLAIM, side: 'reply' }, { calls: [2], outcomes: ['LOST', 'SUCCESS'] });
    await atStatement(
      world,
      api,
      { statement: SETTLE, side: 'request' },
      { calls: [1, 2], outcomes: ['LOST', 'SUCCESS'] },
    );
    // MariaDB settles in a transaction, PostgreSQL in one statement.
    const written = world.isPostgres ? { statement: SETTLE } : { statement: /^COMMIT/, after: SETTLE };
    await atStatement(world, api, { ...written, side: 'reply' }, { calls: [1], outcomes: ['SUCCESS'] });
    await duringCall(world, api, RETRIES, { status: 'SUCCESS', calls: [1, 2] });
    await duringCall(world, api, {}, { status: 'FAILED', calls: [1] });
    await betweenTokenAndCall(world, api);
    await checkAll(world);
  },
};

/** The worker dies when it has sent, or heard of, a certain statement; another one finds out. */
async function atStatement(
  world: World,
  api: FleetProcess,
  where: StopAt,
  expected: { calls: number[]; outcomes: string[] },
): Promise<void> {
  const database: TcpProxy = await world.proxy(world.ledger.url);
  const doomed = await world.worker({}, { database });
  const reached = database.stopAt(where);
  const id = await world.trigger(api, RETRIES);
  await reached;
  await doomed.killNow();
  const next = await world.worker();
  await becomes(world, id, 'SUCCESS');
  const attempts = (await world.ledger.attempts()).filter((one) => one.runId === id);
  const outcomes = attempts.sort((a, b) => a.attempt - b.attempt).map((one) => one.outcome);
  expectCalls(world, id, expected.calls, String(where.statement));
  world.findings.expect(String(outcomes) === String(expected.outcomes), `${id}: its attempts were ${outcomes.join()}`);
  await next.killNow();
}

async function duringCall(
  world: World,
  api: FleetProcess,
  fields: object,
  expected: { status: string; calls: number[] },
): Promise<void> {
  const doomed = await world.worker();
  const id = await world.trigger(api, fields, '/hangs-first');
  await world.target.called(id);
  await doomed.killNow();
  const next = await world.worker();
  await becomes(world, id, expected.status);
  expectCalls(world, id, expected.calls, 'during the call');
  await next.killNow();
}

/** The token of an ASYNC attempt is committed, and its target cannot be reached: the worker stands exactly in between. */
async function betweenTokenAndCall(world: World, api: FleetProcess): Promise<void> {
  const { ledger, findings } = world;
  const door = world.kept(await ClosedDoor.build(), (one) => Promise.resolve(one.close()));
  const doomed = await world.worker();
  const id = await world.trigger(api, { exec_type: 'ASYNC', target_url: door.url, ...RETRIES });
  const tokens = () =>
    ledger.query(`SELECT attempt, token_hash FROM run_callbacks WHERE run_id = '${id}' ORDER BY attempt`);
  await world.until(async () => (await tokens()).length === 1, 'its token is committed');
  await doomed.killNow();
  findings.expect(door.attempts.length === 0, `${id}: called before it was killed`);
  door.open();
  const next = await world.worker();
  await becomes(world, id, 'WAITING_CALLBACK');
  const hashes = new Set((await tokens()).map((token) => token.token_hash));
  findings.expect(
    String(door.attempts) === '2',
    `${id}, killed before its call: attempts ${door.attempts.join()} were called`,
  );
  findings.expect(hashes.size === 2, `${id}: its attempts had ${hashes.size} tokens, not 2`);
  await api.post(`/runs/${id}/cancel`, {});
  await next.killNow();
}

const becomes = (world: World, id: string, status: string) =>
  world.until(async () => (await world.ledger.run(id)).status === status, `${id} is ${status}`);

function expectCalls({ findings, target }: World, id: string, expected: number[], when: string): void {
  const calls = target.callsOf(id).map((call) => call.attempt);
  findings.expect(String(calls) === String(expected), `${id}, killed ${when}: attempts ${calls.join()} were called`);
}
