import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { FleetProcess } from './support/fleet.js';

interface Run {
  id: string;
  status: string;
  error_code: string | null;
  attempt: number;
}

describe('SIGTERM', () => {
  let stack: Stack;
  let target: TargetStub;
  let api: FleetProcess;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/slow', { delayMs: 1_500 }).on('/endless', (_call, nth) => (nth === 1 ? { hang: true } : {}));
    api = await FleetProcess.start('api', stack);
    await api.ready();
  });

  afterAll(async () => {
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => target.clear());

  const trigger = async (path: string, fields: object = {}) => {
    const name = `stop-${Math.random().toString(36).slice(2)}`;
    const task = await api.post<{ id: string }>('/tasks', {
      name,
      target_url: target.url + path,
      timeout_seconds: 60,
      ...fields,
    });
    return api.post<Run>(`/tasks/${task.id}/runs`, {});
  };
  const runIs = (id: string, status: string) =>
    eventually(async () => {
      const run = await api.get<Run>(`/runs/${id}`);
      return run.status === status && run;
    }, `run ${id} is ${status}`);

  it('a worker finishes the call it is in, and exits with 0', async () => {
    const worker = await FleetProcess.start('worker', stack);
    await worker.ready();
    const run = await trigger('/slow');
    await target.waitFor(1);
    expect(await worker.stop()).toBe(0);
    expect((await api.get<Run>(`/runs/${run.id}`)).status).toBe('SUCCESS');
  });

  it('a worker hands back what does not finish within the grace time', async () => {
    const worker = await FleetProcess.start('worker', stack, { SHUTDOWN_GRACE_MS: '2000' });
    await worker.ready();
    const retry = { retry_policy_json: { strategy: 'fixed', max_attempts: 3, interval_seconds: 1 } };
    const run = await trigger('/endless', retry);
    await target.waitFor(1);
    const since = Date.now();
    expect(await worker.stop()).toBe(0);
    // The call itself may take a minute.
    expect(Date.now() - since).toBeLessThan(30_000);
    await runIs(run.id, 'RETRYING');

    const next = await FleetProcess.start('worker', stack);
    await next.ready();
    expect(await runIs(run.id, 'SUCCESS')).toMatchObject({ attempt: 2 });
    await next.stop();
  });

  it('the API answers what is under way and exits with 0', async () => {
    const other = await FleetProcess.start('api', stack);
    await other.ready();
    const asked = Promise.all(Array.from({ length: 20 }, () => other.status('/api/v1/tasks')));
    const [code, answers] = await Promise.all([other.stop(), asked]);
    expect(code).toBe(0);
    expect(answers.every((status) => status === 200 || status === 503 || status === 0)).toBe(true);
  });
});
