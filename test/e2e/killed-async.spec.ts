import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { StartedAttempt } from '../support/started-attempt.js';
import { ClosedDoor } from './support/closed-door.js';
import { Deployment } from './support/deployment.js';
import type { FleetProcess } from './support/fleet.js';

const RETRIES = { retry_policy_json: { strategy: 'fixed', max_attempts: 3, interval_seconds: 1 } };

describe('kill -9 of a worker with ASYNC runs', () => {
  let deployment: Deployment;
  const workers: FleetProcess[] = [];

  beforeAll(async () => {
    deployment = await Deployment.start();
    deployment.target.on('/first-hangs', (_call, nth) => (nth === 1 ? { hang: true } : { status: 202 }));
    deployment.target.on('/hangs', { hang: true }).on('/accepts', { status: 202 });
  });

  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.killNow()));
  });

  afterAll(() => deployment?.stop());

  const startWorker = async (env: Record<string, string> = {}) => {
    const worker = await deployment.worker(env);
    workers.push(worker);
    return worker;
  };
  const trigger = (path: string, fields: object = {}) =>
    deployment.trigger({ exec_type: 'ASYNC', target_url: deployment.target.url + path, ...fields });
  const started = async (runId: string, attempt = 1) => new StartedAttempt(await deployment.called(runId, attempt));

  it('in the middle of the call that starts the work: another worker starts it anew, under a token of its own', async () => {
    const doomed = await startWorker();
    const id = await trigger('/first-hangs', RETRIES);
    const first = await started(id);
    expect(await deployment.run(id)).toMatchObject({ status: 'RUNNING', attempt: 1 });
    await doomed.killNow();

    await startWorker();
    const second = await started(id, 2);
    await deployment.becomes(id, 'WAITING_CALLBACK');
    expect(second.token).not.toBe(first.token);
    const late = await first.say({ status: 'SUCCESS', result: 'of the first' });
    expect([late.status, late.data]).toEqual([202, expect.objectContaining({ late: true })]);
    expect(await deployment.run(id)).toMatchObject({ status: 'WAITING_CALLBACK', attempt: 2, result: null });

    const heard = await second.say({ status: 'SUCCESS', result: 'of the second' });
    expect([heard.status, heard.data]).toEqual([200, expect.objectContaining({ late: false, duplicate: false })]);
    expect((await first.say({ status: 'FAILURE', error_info: 'too late' })).status).toBe(202);
    const run = await deployment.run(id);
    expect(run).toMatchObject({ status: 'SUCCESS', attempt: 2, result: 'of the second', error_code: null });
    expect(run.attempts).toMatchObject([
      { attempt: 1, outcome: 'LOST', error_code: 'NODE_LOST' },
      { attempt: 2, outcome: 'SUCCESS', error_code: null },
    ]);
    expect(run.late_callbacks).toHaveLength(2);
    expect(deployment.target.callsTo('/first-hangs')).toHaveLength(2);
  });

  it('between the commit of the token and the call: nothing was sent, another worker starts it', async () => {
    const door = await ClosedDoor.build();
    try {
      const doomed = await startWorker();
      const id = await trigger('', { target_url: door.url, ...RETRIES });
      // The token is committed, and the way to the target is not free: the worker stands exactly in between.
      const [{ tokenHash }] = await deployment.tokensOf(id);
      await doomed.killNow();
      expect(door.attempts).toEqual([]);

      door.open();
      await startWorker();
      const run = await deployment.becomes(id, 'WAITING_CALLBACK');
      expect(run).toMatchObject({ attempt: 2 });
      expect(run.attempts[0]).toMatchObject({ attempt: 1, outcome: 'LOST', error_code: 'NODE_LOST' });
      expect(door.attempts).toEqual(['2']);
      const tokens = await deployment.tokensOf(id, 2);
      expect(tokens.map(({ attempt }) => attempt)).toEqual([1, 2]);
      expect(tokens[1].tokenHash).not.toBe(tokenHash);
    } finally {
      door.close();
    }
  });

  it('in the middle of that call: the callback of the attempt it had started still counts', async () => {
    // Nobody notices before the callback comes: the token was in the database before the target had it.
    const doomed = await startWorker({ LEASE_SECONDS: '300' });
    const id = await trigger('/hangs', RETRIES);
    const first = await started(id);
    await doomed.killNow();
    expect((await first.say({ status: 'SUCCESS', result: 'heard' })).status).toBe(200);
    expect(await deployment.run(id)).toMatchObject({ status: 'SUCCESS', attempt: 1, result: 'heard' });
  });

  it('while a run waits for its callback: the callback closes it', async () => {
    const doomed = await startWorker();
    const id = await trigger('/accepts', RETRIES);
    await deployment.becomes(id, 'WAITING_CALLBACK');
    await doomed.killNow();
    const only = await started(id);
    expect((await only.beat({ progress: 50 })).status).toBe(200);
    expect((await only.say({ status: 'SUCCESS', result: { rows: 7 } })).status).toBe(200);
    const run = await deployment.run(id);
    expect(run).toMatchObject({ status: 'SUCCESS', attempt: 1, result: { rows: 7 } });
    expect(run.attempts).toMatchObject([{ attempt: 1, outcome: 'SUCCESS' }]);
  });

  it('while a run waits for its callback: its deadline is kept by whoever is left', async () => {
    const doomed = await startWorker();
    const id = await trigger('/accepts', { callback_timeout_sec: 8 });
    await deployment.becomes(id, 'WAITING_CALLBACK');
    await doomed.killNow();
    const run = await deployment.becomes(id, 'TIMEOUT');
    expect(run).toMatchObject({ attempt: 1, error_code: 'CALLBACK_TIMEOUT' });
    const late = await (await started(id)).say({ status: 'SUCCESS' });
    expect([late.status, late.data]).toEqual([202, expect.objectContaining({ late: true, status: 'TIMEOUT' })]);
    expect(await deployment.run(id)).toMatchObject({ status: 'TIMEOUT' });
  });
});
