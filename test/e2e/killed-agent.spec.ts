import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#testing';
import { Deployment } from './support/deployment.js';

const TASK = {
  executor: 'AGENT',
  category: 'killed',
  timeout_seconds: 600,
  retry_policy_json: { strategy: 'fixed', max_attempts: 3, interval_seconds: 1 },
};

describe('kill -9 of an agent', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.start();
  });

  afterAll(() => deployment?.stop());

  const complete = (id: string, exec_id: string) =>
    fetch(`${deployment.api.url}/api/v1/agents/runs/${id}/complete`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ exec_id, result: 'from the dead' }),
    });

  it('its run goes to another one after the lease, and nothing it would have said counts any more', async () => {
    const env = { AGENT_CATEGORIES: 'killed', AGENT_CONCURRENCY: '1' };
    const agents = ['one', 'two'].map((name) => ({ name, process: deployment.agent(name, env) }));
    const ids = [
      await deployment.trigger(TASK, { payload: { sleep_ms: 3_000, nth: 1 } }),
      await deployment.trigger(TASK, { payload: { sleep_ms: 3_000, nth: 2 } }),
    ];
    // Whoever is first: it has one run, the other agent will have both in the end.
    const taken = await eventually(async () => {
      const runs = await Promise.all(ids.map((id) => deployment.run(id)));
      return runs.find((run) => run.status === 'RUNNING');
    }, 'an agent works');
    const dead = agents.find(({ name }) => name === taken.node)!;
    const left = agents.find(({ name }) => name !== taken.node)!;
    await dead.process.killNow();

    const anew = await eventually(async () => {
      const run = await deployment.run(taken.id);
      return run.attempt === 2 && run;
    }, 'the other one has taken it');
    expect([anew.node, anew.exec_id === taken.exec_id]).toEqual([left.name, false]);
    expect((await complete(taken.id, taken.exec_id)).status).toBe(409);

    const runs = await Promise.all(ids.map((id) => deployment.becomes(id, 'SUCCESS')));
    expect((await complete(taken.id, taken.exec_id)).status).toBe(409);
    expect(runs).toMatchObject([1, 2].map((nth) => ({ node: left.name, result: { payload: { nth } } })));
    const lost = { attempt: 1, outcome: 'LOST', node: dead.name, error_code: 'LEASE_EXPIRED' };
    for (const { id, attempts } of runs) {
      const first = id === taken.id ? [lost] : [];
      expect(attempts).toMatchObject([...first, { attempt: first.length + 1, outcome: 'SUCCESS', node: left.name }]);
    }
    expect(await deployment.run(taken.id)).toEqual(runs.find(({ id }) => id === taken.id));
  });
});
