import type { FleetProcess } from '../../e2e/support/fleet.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import type { World } from '../support/world.js';

const TASK = {
  executor: 'AGENT',
  category: 'faults',
  target_url: undefined,
  timeout_seconds: 600,
  // Long enough for an agent that lives, on the busiest of machines.
  heartbeat_timeout_sec: 20,
  retry_policy_json: { strategy: 'fixed', max_attempts: 3, interval_seconds: 1 },
};

interface Claimed {
  id: string;
  exec_id: string;
  attempt: number;
}

export const agents: Scenario = {
  row: 22,
  name: 'two agents claim; one is killed; what it would have said comes late',
  holds: 'I3, 409',
  stacks: EVERYWHERE,
  core: ['postgres-redis'],
  seconds: 60,
  run: async (world) => {
    await world.open();
    const api = await world.api();
    await deadByName(world, api);
    await deadByProcess(world, api);
  },
};

/** Through the REST contract alone: two names, many claims at once, one of them never heard of again. */
async function deadByName(world: World, api: FleetProcess): Promise<void> {
  const { findings } = world;
  const task = await world.task(api, { ...TASK, max_concurrency: 0 });
  const runs = 20;
  for (let i = 0; i < runs; i++) await api.post(`/tasks/${task}/runs`, {});
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, nth) =>
      claim(api, nth % 2 === 0 ? 'one' : 'two', 4).then((items) => ({ nth, items })),
    ),
  );
  const all = claims.flatMap(({ items }) => items);
  findings.checked += all.length;
  findings.doubled += all.length - new Set(all.map((item) => item.id)).size;
  findings.lost += Math.max(0, runs - all.length);
  const ofOne = claims.filter(({ nth }) => nth % 2 === 0).flatMap(({ items }) => items);
  const ofTwo = claims.filter(({ nth }) => nth % 2 === 1).flatMap(({ items }) => items);
  await expectAnswers(world, api, ofTwo, 200);
  const again = await reclaim(world, api, ofOne.length);
  findings.expect(
    again.every((item) => item.attempt === 2),
    'I3: claimed anew, and not as attempt 2',
  );
  await expectAnswers(world, api, ofOne, 409);
  await expectAnswers(world, api, again, 200);
  await expectAnswers(world, api, ofOne, 409);
  await expectDone(world, [...ofTwo, ...again]);
}

/** The example agent as a process, killed at work. */
async function deadByProcess(world: World, api: FleetProcess): Promise<void> {
  const { findings, ledger } = world;
  const task = await world.task(api, TASK);
  const env = { AGENT_CATEGORIES: 'faults', AGENT_CONCURRENCY: '1' };
  const doomed = world.agent(api, 'doomed', env);
  const { id } = await api.post<{ id: string }>(`/tasks/${task}/runs`, { payload: { sleep_ms: 3_000 } });
  await world.until(async () => (await ledger.run(id)).status === 'RUNNING', 'it works');
  const { execId } = await ledger.run(id);
  await doomed.killNow();
  world.agent(api, 'heir', env);
  await world.until(async () => (await ledger.run(id)).attempt === 2, 'another one has taken it');
  const stale = { id, exec_id: execId!, attempt: 1 };
  findings.expect((await complete(api, stale)) === 409, 'I3: the dead agent completed it while another works');
  await world.until(async () => (await ledger.run(id)).status === 'SUCCESS', 'it is done');
  const before = JSON.stringify(await ledger.run(id));
  findings.expect((await complete(api, stale)) === 409, 'I3: the dead agent completed it after its end');
  findings.expect(JSON.stringify(await ledger.run(id)) === before, 'I3: a late word changed the run');
  findings.checked += 1;
}

const claim = async (api: FleetProcess, agent: string, limit: number): Promise<Claimed[]> =>
  (await api.post<{ items: Claimed[] }>('/agents/claim', { agent, categories: ['faults'], limit })).items;

/** All that the dead agent had, as its lease runs out. */
async function reclaim(world: World, api: FleetProcess, count: number): Promise<Claimed[]> {
  const again: Claimed[] = [];
  const more = async () => again.push(...(await claim(api, 'two', 20))) >= count;
  await world.until(more, 'the lease of the dead agent runs out');
  return again;
}

async function complete(api: FleetProcess, { id, exec_id }: Claimed): Promise<number> {
  const answer = await fetch(`${api.url}/api/v1/agents/runs/${id}/complete`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ exec_id, result: { exec_id } }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** What all of them are told who report their runs as done. */
async function expectAnswers({ findings }: World, api: FleetProcess, items: readonly Claimed[], status: number) {
  const answers = await Promise.all(items.map((item) => complete(api, item)));
  const wrong = answers.filter((answer) => answer !== status);
  findings.expect(wrong.length === 0, `I3: told ${wrong.join()}, not ${status}`);
}

/** By the execution that completed it, and no other. */
async function expectDone({ ledger, findings }: World, done: readonly Claimed[]): Promise<void> {
  for (const { id, exec_id } of done) {
    const { status, result } = await ledger.run(id);
    const isRight = status === 'SUCCESS' && (result as { exec_id?: string })?.exec_id === exec_id;
    findings.expect(isRight, `I3: ${id} is ${status} with ${JSON.stringify(result)}`);
  }
}
