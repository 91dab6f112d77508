import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';

describe('changing tasks', () => {
  let stack: Stack;
  let api: RunningApi;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const create = async (fields: object = {}) => (await api.http.post('/tasks', taskBody(fields))).data;
  const read = async (id: string) => (await api.http.get(`/tasks/${id}`)).data;

  it('PATCH changes what it names, null brings back a default, the rest stays', async () => {
    const task = await create({ description: 'old', priority: 3, tags: ['a', 'b'], timeout_seconds: 20 });
    const answer = await api.http.patch(`/tasks/${task.id}`, { description: 'new', priority: null, tags: ['b', 'c'] });
    expect(answer).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(answer.data).toEqual({
      ...task,
      description: 'new',
      priority: 0,
      tags: ['b', 'c'],
      version: 2,
      updated_at: expect.any(String),
    });
    expect(await read(task.id)).toEqual(answer.data);
  });

  it('PUT replaces the whole task: what it leaves out goes back to its default', async () => {
    const task = await create({ description: 'old', priority: 3, tags: ['a'], cron_expr: '@daily' });
    const answer = await api.http.put(`/tasks/${task.id}`, {
      name: task.name,
      target_url: 'http://x.test/',
      version: 1,
    });
    expect(answer.status).toBe(200);
    expect(answer.data).toMatchObject({ version: 2, description: null, priority: 0, tags: [], cron_expr: null });
    expect(answer.data).toMatchObject({ type: 'on_demand', next_fire_at: null, target_url: 'http://x.test/' });
    const nameless = await api.http.put(`/tasks/${task.id}`, { target_url: 'http://x.test/' });
    expect([nameless.status, fieldsOf(nameless)]).toEqual([422, ['name']]);
  });

  it('refuses a stale version by body or If-Match and changes nothing', async () => {
    const task = await create();
    await api.http.patch(`/tasks/${task.id}`, { description: 'second', version: 1 });
    const change = { description: 'third' };
    const stale = [
      await api.http.patch(`/tasks/${task.id}`, { ...change, version: 1 }),
      await api.http.patch(`/tasks/${task.id}`, change, { headers: { 'if-match': '"1"' } }),
      await api.http.put(`/tasks/${task.id}`, taskBody({ version: 7 })),
      await api.http.delete(`/tasks/${task.id}`, { headers: { 'if-match': 'W/"1"' } }),
    ];
    expect(stale.map(({ status }) => status)).toEqual([409, 409, 409, 409]);
    expect(stale[0].data).toMatchObject({ type: 'urn:punctual:problem:stale-version' });
    expect(await read(task.id)).toMatchObject({ version: 2, description: 'second' });
    const fresh = await api.http.patch(`/tasks/${task.id}`, change, { headers: { 'if-match': 'W/"2"' } });
    expect(fresh.data).toMatchObject({ version: 3, description: 'third' });
    expect((await api.http.patch(`/tasks/${task.id}`, change, { headers: { 'if-match': 'x' } })).status).toBe(422);
  });

  it('lets one of many writers with the same version win', async () => {
    const task = await create();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => api.http.patch(`/tasks/${task.id}`, { description: `w${i}`, version: 1 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect((await read(task.id)).version).toBe(2);
  });

  it('loses no change of writers that name no version', async () => {
    const task = await create();
    const changes = [{ description: 'd' }, { priority: 4 }, { category: 'c' }, { creator: 'me' }, { tags: ['t'] }];
    const answers = await Promise.all(changes.map((change) => api.http.patch(`/tasks/${task.id}`, change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await read(task.id)).toMatchObject({ ...Object.assign({}, ...changes), version: 6 });
  });

  it('enables and disables, under both names, and only a change is a new version', async () => {
    const task = await create({ cron_expr: '* * * * * *' });
    const to = async (action: string) => (await api.http.post(`/tasks/${task.id}/${action}`)).data;
    expect(await to('disable')).toMatchObject({ status: 'DISABLED', version: 2, next_fire_at: null });
    expect(await to('pause')).toMatchObject({ status: 'DISABLED', version: 2, next_fire_at: null });
    const before = api.platform.clock.now();
    const enabled = await to('resume');
    expect(enabled).toMatchObject({ status: 'ENABLED', version: 3 });
    expect(Date.parse(enabled.next_fire_at)).toBeGreaterThan(before);
    expect(Date.parse(enabled.next_fire_at)).toBeLessThanOrEqual(api.platform.clock.now() + 1000);
    expect(await to('enable')).toMatchObject({ version: 3, next_fire_at: enabled.next_fire_at });
    expect((await api.http.post('/tasks/999999/enable')).status).toBe(404);
  });

  it('works out the plan anew when the schedule changes, and only then', async () => {
    const task = await create({ cron_expr: '0 0 1 1 *', timezone: 'UTC' });
    const planned = new Date('2001-01-01T00:00:00Z');
    const where = { taskId: BigInt(task.id) };
    await api.platform.database.client.taskState.update({ where, data: { nextFireAt: planned } });
    const patch = async (change: object) => (await api.http.patch(`/tasks/${task.id}`, change)).data.next_fire_at;
    expect(await patch({ description: 'x', cron_expr: '0 0 1 1 *' })).toBe(planned.toISOString());
    expect(await patch({ timezone: 'Asia/Tokyo' })).toMatch(/^20\d\d-12-31T15:00:00.000Z$/);
    expect(await patch({ start_at: '2095-01-01T00:00:00Z' })).toBe('2095-12-31T15:00:00.000Z');
    expect(await patch({ end_at: '2095-02-01T00:00:00Z' })).toBeNull();
    expect(await patch({ end_at: null })).toBe('2095-12-31T15:00:00.000Z');
    expect(await patch({ status: 'DISABLED' })).toBeNull();
  });

  it('checks what a change makes of the whole task', async () => {
    const task = await create({ start_at: '2030-01-01T00:00:00Z', exec_type: 'ASYNC' });
    const patch = async (change: object) => {
      const answer = await api.http.patch(`/tasks/${task.id}`, change);
      return [answer.status, fieldsOf(answer)];
    };
    expect(await patch({ end_at: '2029-01-01T00:00:00Z' })).toEqual([422, ['end_at']]);
    expect(await patch({ target_url: null })).toEqual([422, ['target_url']]);
    expect(await patch({ callback_timeout_sec: null })).toEqual([422, ['callback_timeout_sec']]);
    expect(await patch({ executor: 'AGENT' })).toEqual([422, ['exec_type']]);
    expect(await patch({ name: null })).toEqual([422, ['name']]);
    expect(await read(task.id)).toEqual(task);
  });

  it('refuses to take a name that another task has', async () => {
    const [one, other] = [await create(), await create()];
    const answer = await api.http.patch(`/tasks/${other.id}`, { name: one.name });
    expect([answer.status, fieldsOf(answer)]).toEqual([409, ['name']]);
    expect(await read(other.id)).toEqual(other);
  });

  it('keeps the secret key when a change leaves it out, and wants it again for another access key', async () => {
    const security = { type: 'aksk', ak: 'one', sk: 'hush' };
    const task = await create({ notify: { success: { url: 'http://x.test/' }, security } });
    const stored = async () => {
      const row = await api.platform.database.client.task.findUniqueOrThrow({ where: { id: BigInt(task.id) } });
      return (row.notify as { security?: object } | null)?.security;
    };
    const sealed = await stored();
    expect(sealed).toMatchObject({ type: 'aksk', ak: 'one', sealed: [{ key: expect.stringMatching(/^v1\.test\./) }] });
    expect(JSON.stringify(sealed)).not.toContain('hush');
    const withoutKey = { error: { url: 'http://y.test/' }, security: { type: 'aksk', ak: 'one' } };
    await api.http.patch(`/tasks/${task.id}`, { notify: withoutKey });
    expect(await stored()).toEqual(sealed);
    await api.http.put(`/tasks/${task.id}`, { ...taskBody(), notify: withoutKey });
    expect(await stored()).toEqual(sealed);
    const other = await api.http.patch(`/tasks/${task.id}`, { notify: { security: { type: 'aksk', ak: 'two' } } });
    expect([other.status, fieldsOf(other)]).toEqual([422, ['notify.security.sk']]);
    await api.http.patch(`/tasks/${task.id}`, { notify: null });
    expect(await stored()).toBeUndefined();
  });
});
