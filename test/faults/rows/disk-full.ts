import { setTimeout as pause } from 'node:timers/promises';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { smallDisk } from '../support/small-disk.js';
import { Storm } from '../support/storm.js';
import type { World } from '../support/world.js';

const SIZE = { postgres: '220m', mysql: '420m' };
const FULL_MS = 10_000;
const COMPLAINT = /the tick failed/;

export const diskFull: Scenario = {
  row: 18,
  name: 'database disk full (a small tmpfs)',
  holds: 'the schedule never moves on without its run',
  stacks: EVERYWHERE,
  seconds: 60,
  run: async (world) => {
    const disk = smallDisk(world, world.isPostgres ? SIZE.postgres : SIZE.mysql);
    const server = await world.ownDatabase(disk.below);
    await world.open({ databaseUrl: server.databaseUrl });
    const [api] = await Promise.all([world.api(), world.worker()]);
    // Attempts of some size: the space that tables still have is used up soon.
    const storm = await Storm.begin(world, api, 40, { headers_json: { 'x-ballast': 'x'.repeat(4_000) } });
    await storm.rages();
    disk.fill(server.pid);
    const complained = () => COMPLAINT.test(api.output);
    await world.until(complained, 'the API meets the full disk', 60_000).catch(() => undefined);
    await pause(FULL_MS);
    const isDown = await isGone(world);
    disk.empty(server.pid);
    // A server that cannot write its log ends; whoever makes room starts it again.
    if (isDown) await server.restart();
    world.findings.notes.push(`${disk.how}: the server ${isDown ? 'went down' : 'stayed up'} on ${world.stack}`);
    await storm.recovers(Date.now());
    await storm.end(api);
    world.findings.expect(complained(), 'the API has said nothing about it: the disk was not full for it');
  },
};

const isGone = ({ ledger }: World): Promise<boolean> =>
  ledger.now().then(
    () => false,
    () => true,
  );
