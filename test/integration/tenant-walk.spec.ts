import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxiosInstance } from 'axios';
import { hasRole, type Role, ROLES } from '#domain';
import { openStack, type Stack } from '#testing';
import { rightOf, ROUTE_RIGHTS } from '../../apps/api/src/access/route-rights.js';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { clientWith, keyFor } from '../support/keys.js';
import { type Document, type Route, routesOf } from '../support/open-api-walk.js';

/** In every text of theirs, so that nothing of theirs can show without being seen. */
const MARK = 'marked-as-theirs';
const LABELS = { category: MARK, tags: [MARK], max_concurrency: 0 };

describe('every route, with the ids of another tenant', () => {
  let stack: Stack;
  let api: RunningApi;
  let routes: Route[];
  const clients = new Map<Role | null, AxiosInstance>();
  /** What the other tenant has: by the first part of a path, and the name of the id in it. */
  let theirs: Record<string, string>;
  let their: AxiosInstance;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { AUTH_MODE: 'keys', RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0' });
    const { data } = await api.http.get<Document>(`${api.url}/docs/openapi.json`);
    routes = routesOf(data);
    for (const role of ROLES) clients.set(role, clientWith(api.url, (await keyFor(api.platform, 'mine', role)).text));
    clients.set(null, clientWith(api.url, null));
    their = clientWith(api.url, (await keyFor(api.platform, 'theirs', 'ADMIN', MARK)).text);
    theirs = await belongings(api, their);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const right = (route: Route) => rightOf(route.method, route.path.replace(/\{(\w+)\}/g, ':$1'));

  /** /api/v1/agents/runs/{id} is about a run, /api/v1/tasks/{id} about a task. */
  const idIn = (path: string): string => theirs[/\/([\w-]+)\/\{/.exec(path)![1]];

  const ask = (role: Role | null, route: Route) => request(clients.get(role)!, route);

  const request = (client: AxiosInstance, route: Route) =>
    client.request({
      method: route.method,
      url: `${api.url}${route.path.replace(/\{\w+\}/, () => idIn(route.path))}`,
      params: route.query,
      data: route.body,
      responseType: 'text',
      transformResponse: (text: string) => text,
    });

  it('has a line for each of them in the table of rights, and the document says the same', () => {
    const unlisted = routes.filter(
      ({ method, path }) => !(`${method} ${path.replace('/api/v1', '').replace(/\{(\w+)\}/g, ':$1')}` in ROUTE_RIGHTS),
    );
    expect(unlisted.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    for (const route of routes) {
      const asksForKey = ['role', 'metrics'].includes(right(route)!.kind);
      expect([route.path, route.security.some((one) => 'api-key' in one)]).toEqual([route.path, asksForKey]);
    }
  });

  it('shows them to those they belong to', async () => {
    const shown = routes.filter(({ method, ids }) => method === 'GET' && ids.length > 0);
    expect(shown.length).toBeGreaterThan(5);
    for (const route of shown) expect([route.path, (await request(their, route)).status]).toEqual([route.path, 200]);
    expect((await their.get('/tasks')).data.items).toHaveLength(1);
  });

  it('finds nothing of theirs by what a list or a job may name', async () => {
    const mine = clients.get('ADMIN')!;
    const { tasks, runs } = theirs;
    const lists = [`/runs?task_id=${tasks}`, `/deliveries?task_id=${tasks}`, `/deliveries?run_id=${runs}`];
    const labels = [`/runs?category=${MARK}`, `/runs?creator=${MARK}`, `/tasks?name=${MARK}`, `/audit?by=${MARK}`];
    for (const list of [...lists, ...labels, `/audit?entity=task&entity_id=${tasks}`]) {
      expect([list, (await mine.get(list)).data.items]).toEqual([list, []]);
    }
    expect((await mine.post('/jobs', { type: MARK })).status).toBe(422);
    const claim = { agent: 'a', types: [MARK], categories: [MARK], limit: 10 };
    expect((await mine.post('/agents/claim', claim)).data).toEqual({ items: [] });
  });

  it('watches every table that has a tenant, with something in each', async () => {
    expect(tablesOfTenants().length).toBeGreaterThanOrEqual(17);
    const empty = Object.entries(await everythingOf(api, 'theirs')).filter(([, rows]) => rows === '[]');
    expect(empty).toEqual([]);
  });

  it('keeps the Idempotency-Key of one tenant apart from the same one of another', async () => {
    const name = taskBody().name;
    const runs = [];
    for (const http of [
      clients.get('ADMIN')!,
      clientWith(api.url, (await keyFor(api.platform, 'third', 'ADMIN')).text),
    ]) {
      await http.post('/tasks', taskBody({ name }));
      const once = () => http.post('/jobs', { type: name }, { headers: { 'idempotency-key': 'the-same' } });
      const [first, second] = [await once(), await once()];
      expect([first.status, second.status, second.data.id]).toEqual([202, 202, first.data.id]);
      expect((await http.get('/runs')).data.items).toMatchObject([{ id: first.data.id }]);
      runs.push(first.data.id);
    }
    expect(new Set(runs).size).toBe(2);
  });

  it('lets nobody in without a key', async () => {
    for (const route of routes) {
      const answer = await ask(null, route);
      const expected = right(route)!.kind === 'open' ? 200 : 401;
      expect([route.method, route.path, answer.status]).toEqual([route.method, route.path, expected]);
      if (expected === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm=/);
      expect(answer.data).not.toContain(MARK);
    }
  });

  it.each(ROLES)('shows and changes nothing of theirs for a key of mine with the role %s', async (role) => {
    const before = await everythingOf(api, 'theirs');
    for (const route of routes) {
      const answer = await ask(role, route);
      const seen = `${route.method} ${route.path} ${answer.status}`;
      expect(expectedOf(route, role).map((status) => `${route.method} ${route.path} ${status}`)).toContain(seen);
      expect(answer.data).not.toContain(MARK);
    }
    expect(await everythingOf(api, 'theirs')).toEqual(before);
  });

  function expectedOf(route: Route, role: Role): number[] {
    const asked = right(route)!;
    if (asked.kind === 'token') return [401];
    if (asked.kind === 'open' || asked.kind === 'metrics') return [200];
    if (asked.kind !== 'role') throw new Error(`nobody knows what ${route.path} asks for`);
    if (!hasRole(role, asked.least) || asked.root) return [403];
    if (route.ids.length > 0) return [404];
    // What has no id in it is about my own things: done, or refused for what it says (a job of a type I do not have).
    return [200, 201, 202, 422];
  }
});

/** Something of everything that has an id. */
async function belongings(api: RunningApi, http: AxiosInstance): Promise<Record<string, string>> {
  const made = async (path: string, body: object): Promise<string> => {
    const { status, data } = await http.post<{ id: string }>(path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(data)}`);
    return data.id;
  };
  const definition = { name: MARK, description: MARK, cron_expr: '0 0 3 * * *', executor: 'AGENT', ...LABELS };
  const task = await made('/tasks', taskBody(definition));
  const run = await made(`/tasks/${task}/runs`, { payload: MARK, creator: MARK });
  await made(`/tasks/${task}/runs`, { start_time: new Date(api.platform.clock.now() + 86_400_000).toISOString() });
  await http.post('/jobs', { type: MARK }, { headers: { 'idempotency-key': MARK } });
  await detailsOf(api, run, task);
  const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z' };
  const backfill = await made(`/tasks/${task}/backfill`, range);
  const key = await made('/api-keys', { name: MARK, role: 'VIEWER' });
  const { client } = api.platform.database;
  const now = new Date(api.platform.clock.now());
  const about = {
    tenantId: 'theirs',
    runId: run,
    taskId: BigInt(task),
    kind: 'error',
    url: `http://127.0.0.1:9/${MARK}`,
  };
  const outbox = await client.outbox.create({
    data: { id: 'd-1', ...about, endedAt: now, createdAt: now, nextAttemptAt: now },
  });
  return { tasks: task, runs: run, callbacks: run, backfills: backfill, deliveries: outbox.id, 'api-keys': key };
}

/** Something in every table that is only reached through a run. */
async function detailsOf({ platform }: RunningApi, run: string, task: string): Promise<void> {
  const { client } = platform.database;
  const now = new Date(platform.clock.now());
  const about = { tenantId: 'theirs', runId: run, attempt: 1 };
  const call = { execId: 'e-1', startedAt: now };
  await client.runAttempt.create({ data: { ...about, ...call, outcome: 'FAILED', finishedAt: now, errorInfo: MARK } });
  await client.runCallback.create({ data: { ...about, ...call, tokenHash: 'f'.repeat(64) } });
  const late = { outcomeHash: 'f'.repeat(64), outcome: 'SUCCESS', errorInfo: MARK, receivedAt: now };
  await client.lateCallback.create({ data: { ...about, ...late } });
  await client.runHandling.create({ data: { ...about, action: 'RESOLVE', at: now, remark: MARK } });
  await client.runAlarm.create({ data: { tenantId: 'theirs', runId: run, at: new Date('2099-01-01T00:00:00Z') } });
  const ended = { status: 'SUCCESS', scheduledTime: now, finishedAt: now, archivedAt: now, traceId: '0'.repeat(32) };
  const named = { taskId: BigInt(task), taskName: MARK, trigger: 'API' };
  await client.runArchive.create({ data: { id: `1700000000-${task}`, tenantId: 'theirs', ...named, ...ended } });
}

/** Whatever has a tenant, as the models say. */
function tablesOfTenants(): string[] {
  const models = readFileSync(path.resolve(import.meta.dirname, '../../prisma/models.prisma'), 'utf8');
  return [...models.matchAll(/^model (\w+) \{\n([^}]*)^\}/gm)]
    .filter(([, , fields]) => /^ +tenantId /m.test(fields))
    .map(([, name]) => name[0].toLowerCase() + name.slice(1));
}

/** Every row of a tenant's, as text, but for when its keys were last used. */
async function everythingOf({ platform }: RunningApi, tenantId: string): Promise<Record<string, string>> {
  type Table = { findMany(query: object): Promise<object[]> };
  const client = platform.database.client as unknown as Record<string, Table>;
  const rows: Record<string, string> = {};
  for (const table of tablesOfTenants()) {
    const omit = table === 'apiKey' ? { omit: { lastUsedAt: true } } : {};
    const found = await client[table].findMany({ where: { tenantId }, ...omit });
    rows[table] = JSON.stringify(found, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  }
  return rows;
}
