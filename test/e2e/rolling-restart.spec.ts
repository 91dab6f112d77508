import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { FleetProcess } from './support/fleet.js';

interface Run {
  id: string;
  status: string;
  attempt: number;
  trigger: string;
  lateness_ms: number;
  scheduled_time: string;
  error_code: string | null;
}

interface Node {
  id: string;
  role: string;
  pid: number;
  state: string;
  drained: boolean;
}

const TASKS = 12;
/** For the busiest of machines; and how long a place stays empty, which is longer: whoever is left has to do it all. */
const LATENESS_MS = 5_000;
const EMPTY_MS = 6_000;
const QUICK = { RESCUE_INTERVAL_MS: '1000' };

describe('a rolling restart of every process, under load', () => {
  let stack: Stack;
  let target: TargetStub;
  /** Two that schedule, two that work; each place is taken over by the process that replaces it. */
  let fleet: FleetProcess[] = [];

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    // Slow enough that calls are under way whenever a worker is stopped.
    target.on('*', (call) => ({ delayMs: call.path === '/task-0' ? 1_500 : 150 }));
    fleet = await Promise.all(APPS.map((app) => FleetProcess.start(app, stack, QUICK)));
    await Promise.all(fleet.map((one) => one.ready()));
  });

  afterAll(async () => {
    await Promise.all(fleet.map((one) => one.stop('SIGKILL')));
    await target?.close();
    await stack?.close();
  });

  const api = () => fleet.find((one, place) => APPS[place] === 'api' && one.isRunning)!;
  const nodes = async () => (await api().get<{ items: Node[] }>('/cluster/nodes')).items;

  it('misses no second, loses no run and repeats none', async () => {
    const ids = await createTasks();
    await target.waitFor((calls) => calls.length > TASKS, 60_000);
    const before = (await nodes()).map((node) => node.id);
    for (let place = 0; place < fleet.length; place++) await replace(place);
    const since = target.calls.length;
    await target.waitFor((calls) => calls.length > since + TASKS, 60_000);

    for (const id of ids) await api().post(`/tasks/${id}/disable`, {});
    const isNone = async (status: string) =>
      (await api().get<{ items: Run[] }>(`/runs?status=${status}`)).items.length === 0;
    const settled = async () => (await isNone('SCHEDULED')) && (await isNone('RUNNING'));
    await eventually(settled, 'every run is closed', 60_000);

    const runs = (await Promise.all(ids.map(runsOf))).flat();
    expect(runs.filter((run) => run.status !== 'SUCCESS' || run.attempt !== 1)).toEqual([]);
    expect(gapsOf(runs)).toEqual([]);
    // There was always somebody to decide, and somebody to start: nothing had to be made up for.
    expect(runs.filter((run) => run.trigger !== 'CRON')).toEqual([]);
    expect(runs.filter((run) => run.lateness_ms > LATENESS_MS)).toEqual([]);
    const called = target.calls.map((call) => call.runId!);
    expect([...called].sort()).toEqual(runs.map((run) => run.id).sort());
    const after = await nodes();
    expect(after.map((node) => node.state)).toEqual(Array(fleet.length).fill('ALIVE'));
    expect(after.filter((node) => before.includes(node.id))).toEqual([]);
  }, 300_000);

  /** As docs/operations.md says: one after the other, and the next one only when this one is ready. */
  async function replace(place: number): Promise<void> {
    const old = fleet[place];
    // A worker may be drained before, but need not be.
    if (place === DRAINED) await drain(old);
    expect(await old.stop()).toBe(0);
    await pause(EMPTY_MS);
    fleet[place] = await FleetProcess.start(APPS[place], stack, QUICK);
    await fleet[place].ready();
    const { pid } = fleet[place].child;
    const isThere = async () => (await nodes()).some((node) => node.pid === pid && node.state === 'ALIVE');
    await eventually(isThere, 'it is listed', 60_000);
  }

  async function drain({ child: { pid } }: FleetProcess): Promise<void> {
    const find = async () => (await nodes()).find((node) => node.pid === pid)!;
    const { id } = await find();
    await api().post(`/cluster/nodes/${id}/drain`, {});
    await eventually(async () => (await find()).drained, 'it has nothing left', 60_000);
  }

  async function createTasks(): Promise<string[]> {
    const ids = [];
    for (let i = 0; i < TASKS; i++) {
      const { id } = await api().post<{ id: string }>('/tasks', {
        name: `every-second-${i}`,
        cron_expr: '* * * * * *',
        target_url: `${target.url}/task-${i}`,
        max_concurrency: 0,
        timeout_seconds: 60,
        // A second that a busy machine gets to late is called all the same.
        catch_up_mode: 'FULL',
        catch_up_limit: 10_000,
      });
      ids.push(id);
    }
    return ids;
  }

  /** All of them, oldest first. */
  async function runsOf(taskId: string): Promise<Run[]> {
    const runs: Run[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { items: Run[]; next_cursor: string | null } = await api().get(
        `/tasks/${taskId}/runs?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      runs.push(...page.items);
      cursor = page.next_cursor;
    }
    return runs.reverse();
  }
});

const APPS = ['api', 'api', 'worker', 'worker'] as const;
/** The place of the worker that is drained before it is stopped. */
const DRAINED = 3;

/** Runs that are not exactly one second after the one before, where there is one. */
function gapsOf(runs: readonly Run[]): string[] {
  const last = new Map<string, number>();
  return runs.flatMap(({ id, scheduled_time }) => {
    const [, task] = id.split('-');
    const at = Date.parse(scheduled_time);
    const before = last.get(task) ?? at - 1_000;
    last.set(task, at);
    return at - before === 1_000 ? [] : [`${id} after ${before}`];
  });
}
