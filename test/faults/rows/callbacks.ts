import { StartedAttempt } from '../../support/started-attempt.js';
import type { FleetProcess } from '../../e2e/support/fleet.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import type { World } from '../support/world.js';

const AT_ONCE = 50;
const SUCCESS = { status: 'SUCCESS', result: { rows: 7 } };

export const callbacks: Scenario = {
  row: 21,
  name: '50 identical callbacks at once; late; after a cancel',
  holds: 'one 200 that decides, I5',
  stacks: EVERYWHERE,
  core: ['embedded'],
  seconds: 30,
  run: async (world) => {
    await world.open();
    const apis = [await world.api(), await world.api()];
    await world.worker({ PUBLIC_URL: apis[0].url });
    const begin = async (fields: object = {}) => {
      const id = await world.trigger(apis[0], { exec_type: 'ASYNC', callback_timeout_sec: 600, ...fields });
      await world.until(async () => (await world.ledger.run(id)).status === 'WAITING_CALLBACK', `${id} waits`);
      return new StartedAttempt(world.target.stub.calls.find((call) => call.runId === id)!);
    };
    await allAtOnce(world, apis, await begin());
    await tooLate(world, await begin({ callback_timeout_sec: 2 }), 'TIMEOUT');
    const canceled = await begin();
    await apis[0].post(`/runs/${canceled.runId}/cancel`, {});
    await tooLate(world, canceled, 'CANCELED');
    world.findings.checked += 3;
  },
};

async function allAtOnce({ ledger, findings }: World, apis: FleetProcess[], attempt: StartedAttempt): Promise<void> {
  const say = (nth: number) => new StartedAttempt(elsewhere(attempt, apis[nth % apis.length])).say(SUCCESS);
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => say(nth)));
  const bad = answers.filter((answer) => answer.status !== 200);
  findings.expect(bad.length === 0, () => `I5: ${bad.length} were answered with ${bad[0].status}`);
  const decided = answers.filter((answer) => answer.status === 200 && !answer.data.duplicate);
  findings.doubled += Math.max(0, decided.length - 1);
  findings.expect(decided.length === 1, `I5: ${decided.length} of ${AT_ONCE} were told that they decided`);
  const run = await ledger.run(attempt.runId);
  findings.expect(
    run.status === 'SUCCESS' && JSON.stringify(run.result) === JSON.stringify(SUCCESS.result),
    `I5: it is ${JSON.stringify(run)}`,
  );
  const attempts = (await ledger.attempts()).filter((one) => one.runId === attempt.runId);
  findings.expect(attempts.length === 1, `I5: it left ${attempts.length} attempts`);
  const states = await ledger.states();
  findings.expect(
    states.every((state) => state.activeRuns === 0),
    'I5: its slot was not given back once',
  );
  const other = await attempt.say({ status: 'FAILURE', error_info: 'another word' });
  findings.expect(other.status === 409, `I5: another outcome was answered with ${other.status}`);
  findings.expect(
    JSON.stringify(await ledger.run(attempt.runId)) === JSON.stringify(run),
    'I5: it was changed by another outcome',
  );
}

/** After the end of the run: kept, said to be late, and nothing changes. */
async function tooLate(world: World, attempt: StartedAttempt, end: string): Promise<void> {
  const { ledger, findings } = world;
  await world.until(async () => (await ledger.run(attempt.runId)).status === end, `it is ${end}`);
  const before = await ledger.run(attempt.runId);
  const answers = await Promise.all(Array.from({ length: 10 }, () => attempt.say(SUCCESS)));
  const bad = answers.filter((answer) => answer.status !== 202 || !answer.data.late);
  findings.expect(
    bad.length === 0,
    () => `I5: after ${end} it was answered with ${bad[0].status} ${JSON.stringify(bad[0].data)}`,
  );
  findings.expect(
    JSON.stringify(await ledger.run(attempt.runId)) === JSON.stringify(before),
    `I5: changed after ${end}`,
  );
  const kept = await ledger.query(`SELECT effect FROM late_callbacks WHERE run_id = '${attempt.runId}'`);
  findings.expect(kept.length === 1 && kept[0].effect === 'RECORDED', `I5: kept as ${JSON.stringify(kept)}`);
}

/** The same callback by way of another API. */
function elsewhere({ call }: StartedAttempt, api: FleetProcess): StartedAttempt['call'] {
  const url = new URL(String(call.headers['x-punctual-callback-url']));
  url.port = new URL(api.url).port;
  return { ...call, headers: { ...call.headers, 'x-punctual-callback-url': url.href } };
}
