import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimNotice } from '#database';
import { cronRunId } from '#domain';
import { Backfill, type EnqueueRuns } from '#pipeline';
import { openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { days, OldRuns, retentionOn } from '../support/old-runs.js';

interface Item {
  id: string;
  status: string;
  archived_at: string | null;
}

describe('archived runs', () => {
  let stack: Stack;
  let api: RunningApi;
  let old: OldRuns;
  let task: { id: string; name: string };

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { RETENTION_SKIPPED_DAYS: '10' });
    old = new OldRuns(api.platform);
    task = await create({ cron_expr: '0 * * * *' });
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const create = async (fields: object = {}) =>
    (await api.http.post<{ id: string; name: string }>('/tasks', taskBody(fields))).data;
  const archive = () => retentionOn(api.platform, { archiveAfterMs: days(1) }, { batchSize: 500 }).runOnce();
  const list = async (path: string, params: object) =>
    (await api.http.get<{ items: Item[]; next_cursor: string | null }>(path, { params })).data;
  const idsOf = async (params: object, path = '/runs') =>
    (await list(path, { archived: true, ...params })).items.map(({ id }) => id);
  /** An hour of the task's schedule, some days ago. */
  const hourAgo = (count: number) => Math.floor((api.platform.clock.now() - days(count)) / 3_600_000) * 3_600;
  const writeHour = (daysAgo: number, fields = {}, hours = 0) => {
    const second = hourAgo(daysAgo) + hours * 3_600;
    const scheduledTime = new Date(second * 1000);
    return old.write(task, daysAgo, {
      id: cronRunId(second, BigInt(task.id)),
      trigger: 'CRON',
      scheduledTime,
      ...fields,
    });
  };
  const at = (second: number) => new Date(second * 1000).toISOString();

  it('a run is shown as it was, with everything that belongs to it, and since when it is archived', async () => {
    const id = await old.write(task, 3, { result: { ok: true } });
    await old.belongings(id, task.id);
    const before = (await api.http.get(`/runs/${id}`)).data;
    expect(before).toMatchObject({
      archived_at: null,
      attempts: [{ attempt: 1 }],
      deliveries: [{ status: 'DELIVERED' }],
    });
    await archive();
    const { status, data } = await api.http.get(`/runs/${id}`);
    expect(status).toBe(200);
    expect(data).toEqual({ ...before, archived_at: expect.any(String) });
  });

  it('lists are of one or the other, page by page, newest first', async () => {
    const { id: taskId, name } = await create();
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift(await old.write({ id: taskId, name }, 9 - i));
    const left = await old.write({ id: taskId, name }, 9, { status: 'FAILED' });
    await archive();
    expect(await idsOf({ task_id: taskId })).toEqual(ids);
    expect(await idsOf({}, `/tasks/${taskId}/runs`)).toEqual(ids);
    expect((await list('/runs', { task_id: taskId, archived: false })).items.map(({ id }) => id)).toEqual([left]);
    const first = await list('/runs', { task_id: taskId, archived: true, limit: 4 });
    const second = await list('/runs', { task_id: taskId, archived: true, limit: 4, cursor: first.next_cursor });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
  });

  it.each<[string, object]>([
    ['status', { status: 'MANUALLY_PROCESSED' }],
    ['category', { category: 'rare' }],
    ['creator', { creator: 'somebody' }],
    ['trigger', { trigger: 'REPLAY' }],
    ['several at once', { creator: 'somebody', category: 'rare', trigger: 'REPLAY', status: 'MANUALLY_PROCESSED' }],
  ])('are found by %s', async (_title, params) => {
    const found = { status: 'MANUALLY_PROCESSED', category: 'rare', creator: 'somebody', trigger: 'REPLAY' };
    const other = await create();
    const [id, elsewhere] = [await old.write(task, 4, found), await old.write(other, 4, found)];
    await archive();
    const all = await idsOf(params);
    expect(all).toEqual(expect.arrayContaining([id, elsewhere]));
    expect(all).toEqual([...all].sort().reverse());
    expect(await idsOf({ ...params, task_id: other.id })).toEqual([elsewhere]);
    expect(await idsOf({ ...params, task_id: other.id, to: at(hourAgo(20)) })).toEqual([]);
    expect(await idsOf({ ...params, task_id: other.id, from: at(hourAgo(5)), to: at(hourAgo(1)) })).toEqual([
      elsewhere,
    ]);
  });

  it('SUCCESS is a status to look for; one that is never archived is refused with a word about where to look', async () => {
    const { id, name } = await create();
    const ids = [await old.write({ id, name }, 5), await old.write({ id, name }, 6, { status: 'MANUALLY_PROCESSED' })];
    await archive();
    expect(await idsOf({ status: 'SUCCESS', task_id: id })).toEqual([ids[0]]);
    expect(await idsOf({ status: 'SUCCESS' })).toContain(ids[0]);
    const refused = await api.http.get('/runs', { params: { archived: true, status: 'FAILED' } });
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['status']]);
    expect(refused.data.detail).toMatch(/only SUCCESS and MANUALLY_PROCESSED runs are archived.*without archived/);
    const unclear = await api.http.get('/runs', { params: { archived: 'maybe' } });
    expect([unclear.status, fieldsOf(unclear)]).toEqual([422, ['archived']]);
  });

  it('other tenants’ runs are nobody’s business', async () => {
    const id = await old.write(task, 4, { tenantId: 'elsewhere' });
    await api.platform.database.client.task.create({
      data: { tenantId: 'elsewhere', name: 'x', retryPolicyJson: {}, createdAt: new Date(), updatedAt: new Date() },
    });
    await archive();
    expect((await old.places([id])).archived).toEqual([id]);
    expect((await api.http.get(`/runs/${id}`)).status).toBe(404);
    expect(await idsOf({ task_id: task.id, limit: 200 })).not.toContain(id);
  });

  it('a task still knows its last run', async () => {
    const { id, name } = await create();
    const last = await old.write({ id, name }, 4);
    const where = { taskId: BigInt(id) };
    await api.platform.database.client.taskState.update({ where, data: { lastRunId: last } });
    await archive();
    expect((await api.http.get(`/tasks/${id}`)).data.last_run).toMatchObject({ id: last, status: 'SUCCESS' });
    const { items } = await list('/tasks', { name });
    expect(items[0]).toMatchObject({ last_run: { id: last } });
  });

  it('a second whose run is archived has FIRED, and is never made up for again', async () => {
    const id = await writeHour(5);
    await writeHour(5, { status: 'FAILED' }, 2);
    await archive();
    expect((await old.places([id])).archived).toEqual([id]);
    const second = hourAgo(5);
    const { data } = await api.http.get(`/tasks/${task.id}/explain`, { params: { at: at(second) } });
    expect(data).toMatchObject({ answer: 'FIRED', run: { id, status: 'SUCCESS' } });
    const body = { from: at(second), to: at(second + 7_200) };
    const backfill = (await api.http.post<{ id: string }>(`/tasks/${task.id}/backfill`, body)).data;
    const told: { id: string }[] = [];
    const enqueue = { add: (runs: { id: string }[]) => Promise.resolve(told.push(...runs)) } as unknown as EnqueueRuns;
    const { database, clock, log } = api.platform;
    await new Backfill(database, clock, enqueue, log).runOnce();
    expect(told.map((run) => run.id)).toEqual([cronRunId(second + 3_600, BigInt(task.id))]);
    expect((await api.http.get(`/backfills/${backfill.id}`)).data).toMatchObject({ created: 1, existing: 2 });
  });

  it('a backfill counts its runs that were archived meanwhile as what they are', async () => {
    const id = await writeHour(40);
    await archive();
    const { client } = api.platform.database;
    const body = { from: at(hourAgo(40)), to: at(hourAgo(40)) };
    const backfill = (await api.http.post<{ id: string }>(`/tasks/${task.id}/backfill`, body)).data;
    const created = { createdRuns: 1, openRuns: [id], cursorAt: new Date(hourAgo(40) * 1000) };
    await client.backfill.update({ where: { id: BigInt(backfill.id) }, data: created });
    const { database, clock, log } = api.platform;
    await new Backfill(database, clock, { add: () => Promise.resolve() } as unknown as EnqueueRuns, log).runOnce();
    expect((await api.http.get(`/backfills/${backfill.id}`)).data).toMatchObject({
      status: 'DONE',
      succeeded: 1,
      failed: 0,
    });
  });

  it('a COMPACT run in the archive still stands for the seconds it made up for', async () => {
    const second = hourAgo(8);
    const id = await writeHour(8, {
      trigger: 'CATCH_UP',
      missedFrom: new Date((second - 7_200) * 1000),
      missedCount: 3,
    });
    await archive();
    const { data } = await api.http.get(`/tasks/${task.id}/explain`, { params: { at: at(second - 3_600) } });
    expect(data).toMatchObject({ answer: 'FIRED', run: { id }, missed_count: 3 });
  });

  it('of a second whose run may have been deleted, nobody says that it was missed', async () => {
    const createdAt = new Date(api.platform.clock.now() - days(99));
    const data = { createdAt, updatedAt: createdAt };
    const { id } = await create({ cron_expr: '0 * * * *' });
    await api.platform.database.client.task.update({ where: { id: BigInt(id) }, data });
    const answer = async (second: number) =>
      (await api.http.get(`/tasks/${id}/explain`, { params: { at: at(second) } })).data.answer;
    expect([await answer(hourAgo(11)), await answer(hourAgo(9))]).toEqual(['FORGOTTEN', 'MISSED']);
  });

  it('can be replayed; what else could be done to a run is over', async () => {
    const id = await old.write(task, 4, { payload: { again: 1 } });
    await archive();
    const replayed = await api.http.post(`/runs/${id}/replay`);
    expect([replayed.status, replayed.data.trigger, replayed.data.payload]).toEqual([202, 'REPLAY', { again: 1 }]);
    for (const [path, body] of [
      ['cancel', {}],
      ['resolve', { remark: 'x' }],
      ['retry', {}],
    ] as const) {
      const { status, data } = await api.http.post(`/runs/${id}/${path}`, body);
      expect([path, status, data.detail]).toEqual([path, 409, expect.stringContaining('SUCCESS')]);
    }
    const stale = { exec_id: 'other' };
    expect((await api.http.post(`/agents/runs/${id}/complete`, stale)).status).toBe(409);
  });

  it('a callback is answered as after the end of any run, and kept', async () => {
    const id = await old.write(task, 4, { deadlineAt: new Date() });
    const token = 't'.repeat(43);
    const tokenHash = createHash('sha256').update(token).digest('hex');
    const data = { runId: id, attempt: 1, execId: 'first', tokenHash, startedAt: new Date() };
    await api.platform.database.client.runCallback.create({ data });
    await archive();
    const headers = { authorization: `Bearer ${token}` };
    const said = { status: 'FAILURE', error_info: 'too late' };
    const answer = await api.http.post(`/callbacks/${id}`, said, { headers });
    expect([answer.status, answer.data]).toMatchObject([202, { late: true, status: 'SUCCESS' }]);
    const beat = await api.http.post(`/callbacks/${id}/heartbeat`, {}, { headers });
    expect([beat.status, beat.data]).toMatchObject([202, { cancel_requested: true, late: true }]);
    expect((await api.http.get(`/runs/${id}`)).data.late_callbacks).toMatchObject([{ error_info: 'too late' }]);
  });

  it('a notice that is sent again tells of the run as ever', async () => {
    const id = await old.write(task, 4, { result: { paid: true } });
    const delivery = await old.delivery(id, task.id, 'DELIVERED');
    await archive();
    expect((await api.http.post(`/deliveries/${delivery}/redeliver`)).status).toBe(202);
    const { database, clock } = api.platform;
    const notice = await claimNotice(database, delivery, clock.now() + 1_000, 60_000);
    expect(notice?.run).toMatchObject({ taskName: task.name, result: { paid: true } });
  });
});
