import { setTimeout as pause } from 'node:timers/promises';
import type { FleetProcess } from '../../e2e/support/fleet.js';
import { askRedis } from '../support/ask-redis.js';
import { checkOrder } from '../support/invariants.js';
import { ON_REDIS, type Scenario } from '../support/scenario.js';
import { checkAll, Storm } from '../support/storm.js';
import type { World } from '../support/world.js';

const BACKLOG = 80;
/** So much of it must still wait when everything is forgotten. */
const WAITING = 20;

export const redisFlushed: Scenario = {
  row: 11,
  name: 'Redis FLUSHALL, with a backlog and runs under way',
  holds: 'I1 I2 I3 I4',
  stacks: ON_REDIS,
  core: ['postgres-redis'],
  seconds: 70,
  run: async (world) => {
    const redis = await world.ownRedis();
    await world.open({ redisUrl: redis.url });
    world.target.on('/slow', () => ({ delayMs: 500 })).on('/in-line', () => ({ delayMs: 300 }));
    const api = await world.api();
    // All slots for the one host there is: what has piled up must be worked off within the time of recovery.
    await world.worker({ WORKER_CONCURRENCY: '6', TARGET_CONCURRENCY_PER_HOST: '6' });
    const storm = await Storm.begin(world, api, 3);
    const inLine = await Storm.begin(world, api, 1, { path: '/in-line', max_concurrency: 1, queue_limit: 10_000 });
    const task = await world.task(api, { max_concurrency: 0 }, '/slow');
    await storm.rages();
    await Promise.all(Array.from({ length: BACKLOG }, () => api.post(`/tasks/${task}/runs`, {})));
    await expectBacklog(world, task);
    await askRedis(redis.url, (client) => client.flushall());
    await storm.recovers(Date.now());
    await Storm.endAll([storm, inLine], api);
    checkOrder(world.findings, inLine.tasks, world.target.calls);
  },
};

/** Otherwise there is nothing to be lost, and nothing is shown. */
async function expectBacklog({ ledger, findings, stack }: World, task: string): Promise<void> {
  const runs = await ledger.runs(`task_id = ${task}`);
  const count = (status: string) => runs.filter((run) => run.status === status).length;
  const [waiting, running] = [count('SCHEDULED'), count('RUNNING')];
  if (waiting < WAITING || running === 0) throw new Error(`no backlog: ${waiting} wait, ${running} are under way`);
  findings.notes.push(`${waiting} runs waited and ${running} were under way when Redis forgot them on ${stack}`);
}

export const redisFull: Scenario = {
  row: 12,
  name: 'Redis out of memory (noeviction)',
  holds: '503 or delayed, never a false “accepted”',
  stacks: ON_REDIS,
  core: ['postgres-redis'],
  seconds: 40,
  run: async (world) => {
    const redis = await world.ownRedis();
    await world.open({ redisUrl: redis.url });
    const [api] = await Promise.all([world.api(), world.worker()]);
    const storm = await Storm.begin(world, api, 10);
    const task = await world.task(api, { max_concurrency: 0 });
    await storm.rages();
    await askRedis(redis.url, (client) => client.config('SET', 'maxmemory', '1mb'));
    const refused = await askRedis(redis.url, (client) =>
      client.set('any', 'x').catch((error: Error) => error.message),
    );
    if (!String(refused).includes('OOM')) throw new Error(`Redis still takes things: ${refused}`);
    const accepted = await submit(world, api, task, 8_000);
    const duringFault = accepted.filter((id) => world.target.callsOf(id).length > 0);
    await askRedis(redis.url, (client) => client.config('SET', 'maxmemory', '0'));
    await storm.recovers(Date.now());
    await storm.end(api);
    await checkAll(world);
    const missing = accepted.filter((id) => world.target.callsOf(id).length !== 1);
    world.findings.lost += missing.length;
    world.findings.expect(
      missing.length === 0,
      () => `accepted, and not called once: ${missing.slice(0, 5).join(', ')}`,
    );
    world.findings.notes.push(
      `${accepted.length} runs were accepted on ${world.stack}, ${duringFault.length} called while Redis was full`,
    );
  },
};

/** Asks for runs for that long; anything but "accepted" must be an honest 503. */
async function submit({ findings, random }: World, api: FleetProcess, task: string, forMs: number): Promise<string[]> {
  const accepted: string[] = [];
  for (const end = Date.now() + forMs; Date.now() < end; await pause(random.between(20, 150))) {
    const answer = await fetch(`${api.url}/api/v1/tasks/${task}/runs`, { method: 'POST' });
    const body = (await answer.json()) as { id: string };
    if (answer.status === 202) accepted.push(body.id);
    else findings.expect(answer.status === 503, `answered ${answer.status} while Redis was full`);
  }
  return accepted;
}
