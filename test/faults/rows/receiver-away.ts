import { setTimeout as pause } from 'node:timers/promises';
import { freePort, type RecordedCall, TargetStub } from '#testing';
import { isSignedWith } from '../../support/notices.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import type { World } from '../support/world.js';

const SK = 'a secret key of the team';
const ENV = {
  SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  NOTIFY_RETRY_SECONDS: `1,${Array(80).fill(3).join(',')}`,
};
const RUNS = 5;

const receiverAway = (awayMs: number, name: string): Omit<Scenario, 'stacks'> => ({
  row: 24,
  name,
  holds: 'delivered later, once per id, signed anew',
  seconds: awayMs / 1000 + 20,
  run: async (world) => {
    await world.open();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/told`;
    const before = (await TargetStub.start(port)).on('/told', { status: 503 });
    const [api] = await Promise.all([world.api(ENV), world.worker(ENV)]);
    const security = { type: 'aksk', ak: 'team', sk: SK };
    const ids: string[] = [];
    while (ids.length < RUNS) ids.push(await world.trigger(api, { notify: { success: { url }, security } }));
    await before.waitFor((calls) => new Set(calls.map(idOf)).size === RUNS, 60_000);
    await before.close();
    await pause(awayMs);
    const waiting = await Promise.all(ids.map((id) => world.ledger.run(id)));
    world.findings.expect(
      waiting.every((run) => run.status === 'COMPLETED'),
      'a run is SUCCESS though nobody was told',
    );
    const after = world.kept(await TargetStub.start(port), (stub) => stub.close());
    const since = Date.now();
    await world.until(
      async () => (await Promise.all(ids.map((id) => world.ledger.run(id)))).every((run) => run.status === 'SUCCESS'),
      'all are told',
    );
    world.findings.recoverySeconds = (Date.now() - since) / 1000;
    check(world, before.calls, after.calls);
  },
});

export const receiverAwayForMinutes: Scenario = {
  ...receiverAway(125_000, 'receiver of notices away for two minutes'),
  stacks: ['mariadb-redis'],
};

export const receiverAwayForAWhile: Scenario = {
  ...receiverAway(8_000, 'receiver of notices away for a while'),
  stacks: EVERYWHERE,
  core: ['postgres-redis'],
};

const idOf = (call: RecordedCall): string => String(call.headers['webhook-id']);

function check({ findings }: World, refused: readonly RecordedCall[], taken: readonly RecordedCall[]): void {
  const ids = new Set(refused.map(idOf));
  findings.checked += ids.size;
  findings.doubled += taken.length - new Set(taken.map(idOf)).size;
  findings.lost += [...ids].filter((id) => !taken.some((call) => idOf(call) === id)).length;
  const nonces = [...refused, ...taken].map((call) => call.headers['x-punctual-nonce']);
  findings.expect(new Set(nonces).size === nonces.length, 'a nonce was used twice');
  for (const call of [...refused, ...taken]) {
    const { own, standard } = isSignedWith(SK, call);
    findings.expect(own && standard, `${idOf(call)} is not signed as docs/notices.md says`);
    const age = Math.abs(call.startedAt / 1000 - Number(call.headers['webhook-timestamp']));
    findings.expect(age < 5, `${idOf(call)} was signed ${age} s before it came`);
  }
}
