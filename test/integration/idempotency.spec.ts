import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forgetExpiredKeys } from '#database';
import { openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';

describe('Idempotency-Key', () => {
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

  const post = (key: string, body: object, path = '/tasks') =>
    api.http.post(path, body, { headers: { 'idempotency-key': key }, transformResponse: (text: string) => text });
  const count = () => api.platform.database.client.task.count();

  it('the same key and body give the same answer to the byte, and one task', async () => {
    const body = taskBody({ tags: ['b', 'a'], headers_json: { b: '1', a: '2' } });
    const before = await count();
    const first = await post('one', body);
    const again = await post('one', Object.fromEntries(Object.entries(body).reverse()));
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.data).toBe(first.data);
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      location: first.headers.location,
      etag: first.headers.etag,
    });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(await count()).toBe(before + 1);
  });

  it('the same key for another body or another address is refused', async () => {
    const body = taskBody();
    const { data } = await post('two', body);
    const { id } = JSON.parse(data);
    expect((await post('two', { ...body, description: 'x' })).status).toBe(409);
    const elsewhere = await post('two', {}, `/tasks/${id}/runs`);
    expect(elsewhere.status).toBe(409);
    expect(JSON.parse(elsewhere.data)).toMatchObject({ type: 'urn:punctual:problem:idempotency-key-reused' });
  });

  it('many at once make one task and all get its answer', async () => {
    const body = taskBody();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('three', body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ data }) => data)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'])).toHaveLength(7);
  });

  it('a request that came to nothing leaves the key free', async () => {
    const body = taskBody();
    await post('four', { ...body, cron_expr: 'never' });
    const taken = taskBody();
    await api.http.post('/tasks', taken);
    expect((await post('four', taken)).status).toBe(409);
    expect((await post('four', body)).status).toBe(201);
  });

  it('an expired key may be used again', async () => {
    await post('five', taskBody());
    const where = { tenantId_key: { tenantId: 'default', key: 'five' } };
    const past = new Date(api.platform.clock.now() - 1);
    const row = await api.platform.database.client.idempotencyKey.update({ where, data: { expiresAt: past } });
    expect(row.status).toBe(201);
    const body = taskBody();
    const fresh = await post('five', body);
    expect([fresh.status, fresh.headers['idempotency-replayed']]).toEqual([201, undefined]);
    expect((await post('five', body)).data).toBe(fresh.data);
  });

  it('keys whose time is over are forgotten, a thousand at a time, and no others', async () => {
    const { database, clock } = api.platform;
    const now = clock.now();
    await forgetExpiredKeys(database, now);
    const kept = await database.client.idempotencyKey.count();
    const expired = Array.from({ length: 2_300 }, (_, i) => ({
      ...{ tenantId: 'default', key: `old-${i}`, requestHash: 'x'.repeat(64), status: 201, response: {} },
      expiresAt: new Date(now - i),
    }));
    await database.client.idempotencyKey.createMany({ data: expired });
    const reports = await Promise.all([forgetExpiredKeys(database, now), forgetExpiredKeys(database, now)]);
    expect(reports[0] + reports[1]).toBe(2_300);
    expect(await database.client.idempotencyKey.count()).toBe(kept);
    expect((await post('old-1', taskBody())).status).toBe(201);
  });

  it.each(['', ' ', 'a b', 'x'.repeat(256), 'ü'])('%j is not a key', async (key) => {
    const answer = await api.http.post('/tasks', taskBody(), { headers: { 'idempotency-key': key } });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['Idempotency-Key']]);
  });

  it('also makes a run once', async () => {
    const { id } = JSON.parse((await post('six', taskBody())).data);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post('seven', { payload: 1 }, `/tasks/${id}/runs`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(answers.map(({ data }) => JSON.parse(data).id)).size).toBe(1);
    expect((await api.http.get(`/tasks/${id}/runs`)).data.items).toHaveLength(1);
  });
});
