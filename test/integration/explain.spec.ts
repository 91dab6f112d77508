import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EnqueueRuns, Platform } from '#pipeline';
import { insertTask, openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { tickOn } from '../support/product.js';

const MINUTE = 60_000;
let count = 0;

interface Explained {
  at: string;
  answer: string;
  detail: string;
  run?: { id: string; status: string; scheduled_time: string };
  [field: string]: unknown;
}

describe('GET /tasks/{id}/explain', () => {
  let stack: Stack;
  let api: RunningApi;
  let platform: Platform;
  let thisMinute: number;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
    platform = api.platform;
    thisMinute = Math.floor(platform.clock.now() / MINUTE) * MINUTE;
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const explained = async (id: bigint | string, at: Date | string): Promise<Explained> => {
    const { status, data } = await api.http.get<Explained>(`/tasks/${id}/explain`, {
      params: { at: typeof at === 'string' ? at : at.toISOString() },
    });
    expect({ status, data }).toMatchObject({ status: 200 });
    return data;
  };
  const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;
  /** The minute that was `ago` minutes before the tests began: the same one throughout, wherever the clock is by now. */
  const minute = (ago: number) => new Date(thisMinute - ago * MINUTE);
  const tickAt = (now: Date) => {
    const then = { ...platform, clock: { now: () => now.getTime() } } as unknown as Platform;
    return tickOn(then, deaf, { graceSeconds: 3 }).runOnce();
  };
  const everyMinute = (task: object = {}) =>
    insertTask(platform.database, {
      name: `explained-${++count}`,
      cronExpr: '0 * * * * *',
      createdAt: minute(600),
      updatedAt: minute(600),
      ...task,
    });
  const rest = (taskId: bigint) =>
    platform.database.client.taskState.update({ where: { taskId }, data: { nextFireAt: null } });

  it('a second with its run has FIRED, its neighbours are NOT_DUE', async () => {
    const task = await everyMinute({ nextFireAt: minute(5) });
    await tickAt(minute(5));
    const answer = await explained(task.id, new Date(minute(5).getTime() + 250));
    const id = `${minute(5).getTime() / 1000}-${task.id}`;
    expect(answer).toMatchObject({ at: minute(5).toISOString(), answer: 'FIRED', detail: expect.stringContaining(id) });
    expect(answer.run).toMatchObject({ id, status: 'SCHEDULED', scheduled_time: minute(5).toISOString() });
    expect(await explained(task.id, new Date(minute(5).getTime() + 1000))).toMatchObject({
      answer: 'NOT_DUE',
      next_due: minute(4).toISOString(),
    });
    await rest(task.id);
  });

  it('a skipped second names the run that stood in the way, also when many have been skipped since', async () => {
    const task = await everyMinute({ nextFireAt: minute(9), overlapAction: 'SKIP' });
    for (const ago of [9, 8, 7, 6]) await tickAt(minute(ago));
    const first = `${minute(9).getTime() / 1000}-${task.id}`;
    for (const ago of [8, 7, 6]) {
      expect(await explained(task.id, minute(ago))).toMatchObject({
        answer: 'SKIPPED',
        skip_reason: 'OVERLAP',
        blocked_by: first,
        detail: expect.stringContaining(first),
      });
    }
    await rest(task.id);
  });

  it('the run in the way may be of the same batch, or one on demand', async () => {
    const together = await everyMinute({ nextFireAt: minute(9), overlapAction: 'SKIP', catchUpMode: 'FULL' });
    await tickAt(minute(5));
    const first = `${minute(9).getTime() / 1000}-${together.id}`;
    expect(await explained(together.id, minute(8))).toMatchObject({ answer: 'SKIPPED', blocked_by: first });
    await rest(together.id);

    const { data: task } = await api.http.post<{ id: string }>('/tasks', taskBody({ concurrency_policy: 'SKIP' }));
    const [one, two] = [await trigger(task.id), await trigger(task.id)];
    expect(one).toMatchObject({ status: 'SCHEDULED', blocked_by: null });
    expect(two).toMatchObject({ status: 'SKIPPED', skip_reason: 'CONCURRENCY', blocked_by: one.id });
    const { data: full } = await api.http.post<{ id: string }>('/tasks', taskBody({ queue_limit: 1 }));
    const [running] = [await trigger(full.id), await trigger(full.id)];
    expect(await trigger(full.id)).toMatchObject({ skip_reason: 'QUEUE_FULL', blocked_by: running.id });
  });
  const trigger = async (id: string) =>
    (await api.http.post<{ id: string; status: string }>(`/tasks/${id}/runs`, {})).data;

  it('seconds of a gap are MISSED, or FIRED by the run that stands for all of them', async () => {
    const none = await everyMinute({ nextFireAt: minute(9) });
    const compact = await everyMinute({ nextFireAt: minute(9), catchUpMode: 'COMPACT' });
    await tickAt(new Date(minute(5).getTime() + 30_000));
    const gap = { missed_from: minute(9).toISOString(), missed_count: 5 };
    for (const ago of [9, 7, 5]) {
      const missed = await explained(none.id, minute(ago));
      expect(missed).toMatchObject({ answer: 'MISSED', skip_reason: 'MISSED', ...gap });
      const run = { id: `${minute(5).getTime() / 1000}-${compact.id}` };
      expect(await explained(compact.id, minute(ago))).toMatchObject({ answer: 'FIRED', run, ...gap });
    }
    expect((await explained(none.id, new Date(minute(7).getTime() + 1000))).answer).toBe('NOT_DUE');
    expect((await explained(none.id, minute(10))).answer).toBe('MISSED');
    await Promise.all([rest(none.id), rest(compact.id)]);
  });

  it('tells clock changes, seconds to come, disabled tasks and times they are not there for', async () => {
    const create = async (fields: object) =>
      (await api.http.post<{ id: string; next_fire_at: string }>('/tasks', taskBody(fields))).data;
    const berlin = await create({ cron_expr: '*/5 2 * * *', timezone: 'Europe/Berlin' });
    expect(await explained(berlin.id, '2027-03-28T01:05:00Z')).toMatchObject({
      answer: 'DST_GAP',
      next_due: '2027-03-29T00:00:00.000Z',
    });
    const fixed = await create({ cron_expr: '30 2 * * *', timezone: 'Europe/Berlin' });
    expect((await explained(fixed.id, '2027-10-31T01:30:00Z')).answer).toBe('DST_FOLD');
    expect(await explained(fixed.id, fixed.next_fire_at)).toMatchObject({
      answer: 'NOT_DUE',
      detail: expect.stringMatching(/^Not yet/),
      next_due: fixed.next_fire_at,
    });
    expect((await explained(fixed.id, '2025-06-01T00:30:00Z')).detail).toMatch(/did not exist/);
    await api.http.post(`/tasks/${fixed.id}/disable`);
    expect((await explained(fixed.id, fixed.next_fire_at)).answer).toBe('DISABLED');
    const onDemand = await create({});
    expect((await explained(onDemand.id, fixed.next_fire_at)).answer).toBe('NOT_DUE');
    const every = await create({ cron_expr: '@every 90s' });
    expect(await explained(every.id, every.next_fire_at)).toMatchObject({
      answer: 'NOT_DUE',
      next_due: every.next_fire_at,
    });
  });

  it('refuses what is no time, and knows no other tasks', async () => {
    const task = await everyMinute();
    for (const query of ['', '?at=yesterday', '?at=']) {
      const response = await api.http.get(`/tasks/${task.id}/explain${query}`);
      expect([response.status, fieldsOf(response)]).toEqual([422, ['at']]);
    }
    expect((await api.http.get(`/tasks/999999/explain?at=2026-01-01T00:00:00Z`)).status).toBe(404);
  });
});
