import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { FleetProcess } from './support/fleet.js';

interface Run {
  id: string;
  status: string;
}

const TASKS = 20;
const FROZEN_MS = 8_000;

describe('two schedulers, one of them frozen for a while', () => {
  let stack: Stack;
  let target: TargetStub;
  let fleet: FleetProcess[] = [];

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    fleet = await Promise.all([
      FleetProcess.start('api', stack),
      FleetProcess.start('api', stack),
      FleetProcess.start('worker', stack),
    ]);
    await Promise.all(fleet.map((one) => one.ready()));
  });

  afterAll(async () => {
    for (const one of fleet) one.child.kill('SIGCONT');
    await Promise.all(fleet.map((one) => one.stop()));
    await target?.close();
    await stack?.close();
  });

  it('every due second has exactly one row and one call, none missed, none doubled', async () => {
    const [api, frozen] = fleet;
    const ids = await createTasks(api, target.url);
    const first = Math.floor(Date.now() / 1000) + 1;
    await target.waitFor((calls) => calls.some((call) => secondOf(call.runId) >= first + 1));

    // Between two ticks: in the middle of one it would take the rows it holds locked with it into its sleep.
    await pause(1_500 - (Date.now() % 1_000));
    frozen.child.kill('SIGSTOP');
    await pause(FROZEN_MS);
    frozen.child.kill('SIGCONT');
    const last = Math.floor(Date.now() / 1000) + 3;
    const wanted = ids.flatMap((id) => secondsOf(first, last).map((second) => `${second}-${id}`)).sort();
    await target.waitFor((calls) => {
      const called = new Set(calls.map((call) => call.runId));
      return wanted.every((id) => called.has(id));
    }, 120_000);

    for (const id of ids) await api.post(`/tasks/${id}/disable`, {});
    const runs = await eventually(() => closedRuns(api, ids), 'every run is closed', 60_000);
    const within = (id: string | undefined) => secondOf(id) >= first && secondOf(id) <= last;
    expect(
      runs
        .map((run) => run.id)
        .filter(within)
        .sort(),
    ).toEqual(wanted);
    expect(runs.filter((run) => run.status !== 'SUCCESS')).toEqual([]);
    const calls = target.calls.map((call) => call.runId as string);
    expect(calls.filter(within).sort()).toEqual(wanted);
    expect(calls).toHaveLength(runs.length);
  }, 300_000);
});

const secondOf = (runId: string | undefined): number => Number(runId?.split('-')[0] ?? 0);
const secondsOf = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

async function createTasks(api: FleetProcess, url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < TASKS; i++) {
    const rules = { cron_expr: '* * * * * *', max_concurrency: 0, catch_up_mode: 'FULL' };
    const body = { name: `every-second-${i}`, target_url: `${url}/${i}`, ...rules };
    ids.push((await api.post<{ id: string }>('/tasks', body)).id);
  }
  return ids;
}

/** All runs of the tasks, or nothing while one of them is open. */
async function closedRuns(api: FleetProcess, ids: string[]): Promise<Run[] | null> {
  const pages = await Promise.all(ids.map((id) => api.get<{ items: Run[] }>(`/tasks/${id}/runs?limit=200`)));
  const runs = pages.flatMap(({ items }) => items);
  return runs.every((run) => run.status !== 'SCHEDULED' && run.status !== 'RUNNING') ? runs : null;
}
