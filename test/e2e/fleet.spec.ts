import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { FleetProcess } from './support/fleet.js';

interface Run {
  id: string;
  status: string;
  node: string;
}

const TASKS = 50;
const SECONDS = 10;

describe('two schedulers and two workers side by side', () => {
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
      FleetProcess.start('worker', stack),
    ]);
    await Promise.all(fleet.map((one) => one.ready()));
  });

  afterAll(async () => {
    await Promise.all(fleet.map((one) => one.stop()));
    await target?.close();
    await stack?.close();
  });

  it(`give every second of ${TASKS} tasks for ${SECONDS} s exactly once at the target`, async () => {
    const [api, other] = fleet;
    const ids: string[] = [];
    for (let i = 0; i < TASKS; i++) {
      const url = `${target.url}/task-${i}`;
      const through = i % 2 === 0 ? api : other;
      const task = await through.post<{ id: string }>('/tasks', {
        name: `every-second-${i}`,
        cron_expr: '* * * * * *',
        target_url: url,
        max_concurrency: 0,
        // A second that a busy machine gets to late is called all the same.
        catch_up_mode: 'FULL',
      });
      ids.push(task.id);
    }
    const from = Math.floor(Date.now() / 1000) + 2;
    const seconds = Array.from({ length: SECONDS }, (_, i) => from + i);
    const wanted = new Set(ids.flatMap((id) => seconds.map((second) => `${second}-${id}`)));
    await target.waitFor(
      (calls) => new Set(calls.map((call) => call.runId)).size >= wanted.size && has(calls, wanted),
      120_000,
    );

    const counts = new Map<string, number>();
    for (const { runId } of target.calls) if (wanted.has(runId!)) counts.set(runId!, (counts.get(runId!) ?? 0) + 1);
    expect([...wanted].filter((id) => counts.get(id) !== 1)).toEqual([]);

    for (const id of ids) await api.post(`/tasks/${id}/disable`, {});
    const isNone = async (status: string) =>
      (await api.get<{ items: Run[] }>(`/runs?status=${status}`)).items.length === 0;
    // In the order a run goes through them: none slips by between the two questions.
    const settled = async () => (await isNone('SCHEDULED')) && (await isNone('RUNNING'));
    await eventually(settled, 'every run is closed', 60_000);
    const runs = await Promise.all(ids.map((id) => api.get<{ items: Run[] }>(`/tasks/${id}/runs?limit=200`)));
    const all = runs.flatMap(({ items }) => items);
    expect(all.filter((run) => wanted.has(run.id) && run.status === 'SUCCESS')).toHaveLength(wanted.size);
    // Both workers took part; a run has one row and one call each.
    expect(new Set(all.map((run) => run.node)).size).toBe(2);
    expect(target.calls).toHaveLength(all.length);
  }, 300_000);
});

const has = (calls: { runId?: string }[], wanted: Set<string>) => {
  const seen = new Set(calls.map((call) => call.runId));
  return [...wanted].every((id) => seen.has(id));
};
