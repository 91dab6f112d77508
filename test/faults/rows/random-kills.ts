import { setTimeout as pause } from 'node:timers/promises';
import type { FleetProcess } from '../../e2e/support/fleet.js';
import { checkOrder } from '../support/invariants.js';
import type { Scenario } from '../support/scenario.js';
import { Storm } from '../support/storm.js';
import type { World } from '../support/world.js';

const SCHEDULERS = 2;
const WORKERS = 4;
const RETRIES = { retry_policy_json: { strategy: 'fixed', max_attempts: 10, interval_seconds: 1 } };

interface Plan {
  tasks: number;
  forMs: number;
}

const randomKills = ({ tasks, forMs }: Plan, name: string): Omit<Scenario, 'stacks'> => ({
  row: 25,
  name,
  holds: 'I1 I2 I3 I4',
  seconds: forMs / 1000 + 100,
  weight: 2,
  run: async (world) => {
    await world.open();
    world.target.on('/short', ({ nth }) => ({ delayMs: (nth * 7) % 60 }));
    const fleet = new Fleet(world);
    await fleet.start();
    const inOrder = {
      path: '/short',
      max_concurrency: 1,
      concurrency_policy: 'QUEUE',
      queue_limit: 100_000,
      ...RETRIES,
    };
    const storm = await Storm.begin(world, fleet.api, tasks, inOrder);
    await storm.rages();
    const kills = await fleet.suffer(forMs);
    world.findings.notes.push(`${kills} processes were killed on ${world.stack}`);
    await storm.recovers(Date.now());
    await storm.end(fleet.api);
    checkOrder(world.findings, storm.tasks, world.target.calls);
  },
});

export const randomKillsForMinutes: Scenario = {
  ...randomKills(
    { tasks: 14, forMs: 180_000 },
    'random kills for 3 minutes, 2 schedulers, 4 workers, max_concurrency 1',
  ),
  stacks: ['postgres-redis', 'mariadb-redis'],
};

export const randomKillsForAWhile: Scenario = {
  ...randomKills({ tasks: 10, forMs: 20_000 }, 'random kills for 20 s, 2 schedulers, 4 workers, max_concurrency 1'),
  stacks: ['embedded'],
  core: ['embedded'],
};

type App = 'api' | 'worker';

/** Processes that are replaced as soon as they are killed. */
class Fleet {
  private members: { app: App; process: FleetProcess }[] = [];

  constructor(private readonly world: World) {}

  async start(): Promise<void> {
    const apps = [...Array<App>(SCHEDULERS).fill('api'), ...Array<App>(WORKERS).fill('worker')];
    this.members = await Promise.all(apps.map(async (app) => ({ app, process: await this.world[app]() })));
  }

  get api(): FleetProcess {
    return this.members.find(({ app }) => app === 'api')!.process;
  }

  /** Kills one after the other, at random; gives how many. */
  async suffer(forMs: number): Promise<number> {
    const { random } = this.world;
    let kills = 0;
    for (const end = Date.now() + forMs; Date.now() < end; kills++) {
      await pause(random.between(500, 4_000));
      const member = random.of(this.members);
      await member.process.killNow();
      member.process = await this.world[member.app]();
    }
    return kills;
  }
}
