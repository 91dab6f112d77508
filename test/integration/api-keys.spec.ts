import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxiosInstance } from 'axios';
import { eventually, openStack, type Stack } from '#testing';
import { Claims } from '../../apps/api/src/agents/claims.js';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { clientWith, keyFor } from '../support/keys.js';

describe('API keys', () => {
  let stack: Stack;
  let api: RunningApi;
  /** Another process of the same deployment. */
  let other: RunningApi;
  let admin: AxiosInstance;
  let root: AxiosInstance;

  beforeAll(async () => {
    stack = await openStack();
    const env = { AUTH_MODE: 'keys', METRICS_TOKEN: 'for-prometheus' };
    [api, other] = await Promise.all([startApi(stack, env), startApi(stack, env)]);
    admin = clientWith(api.url, (await keyFor(api.platform, 'acme', 'ADMIN', 'kim')).text);
    root = clientWith(api.url, (await keyFor(api.platform, '*', 'ADMIN', 'boss')).text);
  });

  afterAll(async () => {
    await Promise.all([api?.stop(), other?.stop()]);
    await stack?.close();
  });

  const make = async (fields: object = {}, by = admin) =>
    (await by.post('/api-keys', { name: 'robot', role: 'OPERATOR', ...fields })).data as Record<string, string>;
  const status = async (at: RunningApi, key: string) => (await clientWith(at.url, key).get('/tasks')).status;

  it('are shown once, and kept as a hash', async () => {
    const made = await make();
    expect(made.key).toMatch(/^pk_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
    expect(made.key.startsWith(`${made.prefix}_`)).toBe(true);
    expect(made).toMatchObject({
      tenant: 'acme',
      role: 'OPERATOR',
      state: 'active',
      created_by: 'kim',
      expires_at: null,
    });
    const { data: shown } = await admin.get(`/api-keys/${made.id}`);
    const { key, ...rest } = made;
    expect(shown).toEqual(rest);
    const row = await api.platform.database.client.apiKey.findUniqueOrThrow({ where: { id: BigInt(made.id) } });
    expect(row.hash).toBe(createHash('sha256').update(key).digest('hex'));
    const secret = key.split('_').slice(2).join('_');
    const everywhere = [row, (await admin.get('/audit')).data, (await admin.get('/api-keys')).data];
    expect(
      JSON.stringify(everywhere, (_name, value: unknown) => (typeof value === 'bigint' ? '' : value)),
    ).not.toContain(secret);
  });

  it('are asked for, by either header, and what is none is said to be none', async () => {
    const { key } = await make();
    expect((await clientWith(api.url, null, { 'x-api-key': key }).get('/tasks')).status).toBe(200);
    for (const bad of [
      'nonsense',
      `${key}x`,
      `pk_aaaaaaaaaaaa_${'a'.repeat(43)}`,
      key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ]) {
      const answer = await clientWith(api.url, bad).get('/tasks');
      expect([bad, answer.status, answer.data.type]).toEqual([bad, 401, 'urn:punctual:problem:unauthenticated']);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="punctual", error="invalid_token"');
    }
    const none = await clientWith(api.url, null).get('/tasks');
    expect(none.headers['www-authenticate']).toBe('Bearer realm="punctual"');
    expect(none.data.detail).toContain('npm run keys:create');
  });

  it('name the role that would have been enough', async () => {
    const viewer = clientWith(api.url, (await make({ role: 'VIEWER' })).key);
    expect((await viewer.get('/tasks')).status).toBe(200);
    const refused = await viewer.post('/tasks', taskBody());
    expect([refused.status, refused.data.type]).toEqual([403, 'urn:punctual:problem:forbidden']);
    expect(refused.data.detail).toContain('EDITOR');
    expect((await admin.post('/tasks', taskBody())).status).toBe(201);
  });

  it('are refused by every process within a second of being revoked', async () => {
    const { id, key } = await make();
    const both = () => Promise.all([status(api, key), status(other, key)]);
    expect(await both()).toEqual([200, 200]);
    expect((await admin.delete(`/api-keys/${id}`)).status).toBe(204);
    const since = performance.now();
    // Of requests that were still let in, when the last of them was begun.
    let last = 0;
    await eventually(async () => {
      const begun = performance.now();
      const answers = await both();
      if (answers.includes(200)) last = begun - since;
      return answers.every((answer) => answer === 401);
    }, 'both refuse it');
    expect(last).toBeLessThan(1_000);
    expect((await admin.get(`/api-keys/${id}`)).data).toMatchObject({ state: 'revoked' });
    expect((await admin.delete(`/api-keys/${id}`)).status).toBe(204);
  });

  it('that are revoked end the claim of an agent that waits with them', async () => {
    const { id, key } = await make();
    const claim = clientWith(other.url, key).post('/agents/claim', { agent: 'a', wait_seconds: 30 });
    await eventually(() => Promise.resolve(other.app.get(Claims).size > 0), 'it waits');
    await admin.delete(`/api-keys/${id}`);
    expect((await claim).status).toBe(401);
  });

  it('end when they expire', async () => {
    const past = await admin.post('/api-keys', { name: 'x', role: 'VIEWER', expires_at: '2020-01-01T00:00:00Z' });
    expect([past.status, fieldsOf(past)]).toEqual([422, ['expires_at']]);
    const soon = new Date(api.platform.clock.now() + 700).toISOString();
    const { id, key } = await make({ expires_at: soon });
    await eventually(async () => (await status(api, key)) === 401, 'it is refused');
    expect(api.platform.clock.now()).toBeGreaterThanOrEqual(Date.parse(soon));
    expect((await admin.get(`/api-keys/${id}`)).data.state).toBe('expired');
  });

  it('remember their last use, without a write for each', async () => {
    const { id, key } = await make();
    const lastUse = async () => (await admin.get(`/api-keys/${id}`)).data.last_used_at as string | null;
    expect(await lastUse()).toBeNull();
    await status(api, key);
    const first = await eventually(lastUse, 'it is noted');
    expect(Math.abs(Date.parse(first) - api.platform.clock.now())).toBeLessThan(60_000);
    await Promise.all([status(api, key), status(other, key)]);
    expect(await lastUse()).toBe(first);
  });

  it('move their last use on when they are used again later', async () => {
    const { id, key } = await make();
    const lastUsedAt = new Date(api.platform.clock.now() - 120_000);
    await api.platform.database.client.apiKey.update({ where: { id: BigInt(id) }, data: { lastUsedAt } });
    const lastUse = async () => Date.parse((await admin.get(`/api-keys/${id}`)).data.last_used_at as string);
    expect(await lastUse()).toBe(lastUsedAt.getTime());
    await status(api, key);
    await eventually(async () => (await lastUse()) > lastUsedAt.getTime() + 60_000, 'it is noted');
  });

  it('make no keys of other tenants, nor of the whole deployment', async () => {
    const wanted = (tenant: string) => admin.post('/api-keys', { name: 'x', role: 'VIEWER', tenant });
    expect((await wanted('acme')).status).toBe(201);
    for (const tenant of ['other', '*']) expect([tenant, (await wanted(tenant)).status]).toEqual([tenant, 403]);
    expect((await admin.get('/tasks', { headers: { 'x-tenant': 'other' } })).status).toBe(403);
    const bad = await root.post('/api-keys', { name: 'x', role: 'VIEWER', tenant: 'Not A Name' });
    expect([bad.status, fieldsOf(bad)]).toEqual([422, ['tenant']]);
  });

  it('of the whole deployment act for any tenant they name, and make its keys', async () => {
    const { key, id } = await make({ tenant: 'newcomer', role: 'ADMIN' }, root);
    const newcomer = clientWith(api.url, key);
    const { data: task } = await newcomer.post('/tasks', taskBody());
    const as = (tenant: string) => ({ headers: { 'x-tenant': tenant } });
    expect((await root.get(`/tasks/${task.id}`, as('newcomer'))).status).toBe(200);
    expect((await root.get(`/tasks/${task.id}`)).status).toBe(404);
    expect((await root.get('/tasks', as('*'))).status).toBe(422);
    const all = (await root.get('/api-keys?limit=200', as('*'))).data.items as { tenant: string }[];
    expect(new Set(all.map(({ tenant }) => tenant))).toEqual(new Set(['acme', 'newcomer', '*']));
    expect((await admin.get(`/api-keys/${id}`)).status).toBe(404);
    expect((await admin.delete(`/api-keys/${id}`)).status).toBe(404);
    expect((await root.delete(`/api-keys/${id}`, as('newcomer'))).status).toBe(204);
  });

  it('are not in what is kept for repetitions', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = { name: 'twice', role: 'VIEWER' };
    const [first, second] = [
      await admin.post('/api-keys', body, { headers }),
      await admin.post('/api-keys', body, { headers }),
    ];
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.data).toEqual({ ...first.data, key: null });
    expect(await status(api, first.data.key)).toBe(200);
    const kept = await api.platform.database.client.idempotencyKey.findMany();
    expect(JSON.stringify(kept)).not.toContain(first.data.key);
  });

  it('are not asked for at the probes, nor in the document, and metrics take a token of their own, too', async () => {
    const at = (path: string, key: string | null) => clientWith(api.url, key).get(`${api.url}${path}`);
    for (const path of ['/healthz', '/docs', '/docs/openapi.json']) expect((await at(path, null)).status).toBe(200);
    expect((await at('/metrics', null)).status).toBe(401);
    expect((await at('/metrics', 'wrong')).status).toBe(401);
    expect((await at('/metrics', 'for-prometheus')).status).toBe(200);
    expect((await at('/metrics', (await make({ role: 'VIEWER' })).key)).status).toBe(200);
    expect((await at('/api/v1/tasks', 'for-prometheus')).status).toBe(401);
    expect((await at('/api/v1/nothing/here', null)).status).toBe(404);
  });

  it('list like everything else, newest first', async () => {
    const page = (await admin.get('/api-keys?limit=2')).data;
    expect(page.items).toHaveLength(2);
    const next = (await admin.get(`/api-keys?limit=2&cursor=${page.next_cursor}`)).data;
    expect(Number(next.items[0].id)).toBeLessThan(Number(page.items[1].id));
    expect((await admin.get('/api-keys/999999')).status).toBe(404);
    const bad = await admin.post('/api-keys', { name: '', role: 'KING' });
    expect([bad.status, fieldsOf(bad).sort()]).toEqual([422, ['name', 'role']]);
  });
});
