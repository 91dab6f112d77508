import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxiosInstance, AxiosResponse } from 'axios';
import { eventually, openStack, type Stack } from '#testing';
import { ROUTE_RIGHTS } from '../../apps/api/src/access/route-rights.js';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { clientWith, keyFor } from '../support/keys.js';

/** Routes that may be asked without a line in the log, and why. */
const EXCEPTIONS: Record<string, string> = {
  'POST /cron/preview': 'changes nothing',
  'POST /agents/claim': 'is in the attempts of the run',
  'POST /agents/runs/:id/heartbeat': 'is in the attempts of the run',
  'POST /agents/runs/:id/complete': 'is in the attempts of the run',
  'POST /agents/runs/:id/fail': 'is in the attempts of the run',
  'POST /callbacks/:run_id': 'is in the attempts of the run',
  'PUT /callbacks/:run_id': 'is in the attempts of the run',
  'POST /callbacks/:run_id/heartbeat': 'is in the attempts of the run',
};

const RANGE = { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z' };

describe('everything that can be done', () => {
  let stack: Stack;
  let api: RunningApi;
  let http: AxiosInstance;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { AUTH_MODE: 'keys' });
    http = clientWith(api.url, (await keyFor(api.platform, '*', 'ADMIN', 'root')).text);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const made = async (path: string, body: object = {}): Promise<string> => (await http.post(path, body)).data.id;
  const task = (fields: object = {}) =>
    made('/tasks', taskBody({ cron_expr: '0 0 3 * * *', max_concurrency: 0, ...fields }));
  const run = async () => made(`/tasks/${await task()}/runs`);
  const disabled = async () => {
    const id = await task();
    await http.post(`/tasks/${id}/disable`);
    return id;
  };
  const pending = async () => {
    const id = await run();
    await api.platform.database.client.taskRun.update({ where: { id }, data: { status: 'PENDING' } });
    return id;
  };
  const delivery = async () => {
    const now = new Date(api.platform.clock.now());
    const about = {
      tenantId: 'default',
      runId: await run(),
      taskId: BigInt(await task()),
      kind: 'error',
      url: 'http://x/',
    };
    const data = { id: 'd-1', ...about, status: 'FAILED', endedAt: now, createdAt: now };
    return (await api.platform.database.client.outbox.create({ data })).id;
  };
  const node = async (): Promise<string> =>
    (await eventually(async () => (await http.get('/cluster/nodes')).data.items[0], 'the node of the API')).id;
  const named = async () => {
    const name = taskBody().name;
    await task({ name });
    return name;
  };

  /** Every other route: how to do it, and the action it is written down as. In this order. */
  const DEEDS: Record<string, [action: string, deed: () => Promise<AxiosResponse>]> = {
    'POST /tasks': ['task.create', () => http.post('/tasks', taskBody())],
    'PUT /tasks/:id': ['task.replace', async () => http.put(`/tasks/${await task()}`, taskBody())],
    'PATCH /tasks/:id': ['task.patch', async () => http.patch(`/tasks/${await task()}`, { timeout_seconds: 7 })],
    'DELETE /tasks/:id': ['task.delete', async () => http.delete(`/tasks/${await task()}`)],
    'POST /tasks/:id/disable': ['task.disable', async () => http.post(`/tasks/${await task()}/disable`)],
    'POST /tasks/:id/pause': ['task.disable', async () => http.post(`/tasks/${await task()}/pause`)],
    'POST /tasks/:id/enable': ['task.enable', async () => http.post(`/tasks/${await disabled()}/enable`)],
    'POST /tasks/:id/resume': ['task.enable', async () => http.post(`/tasks/${await disabled()}/resume`)],
    'POST /tasks/:id/runs': ['run.create', async () => http.post(`/tasks/${await task()}/runs`)],
    'POST /tasks/:id/trigger': ['run.create', async () => http.post(`/tasks/${await task()}/trigger`)],
    'POST /tasks/:id/backfill': ['backfill.create', async () => http.post(`/tasks/${await task()}/backfill`, RANGE)],
    'POST /backfills/:id/cancel': [
      'backfill.cancel',
      async () => http.post(`/backfills/${await made(`/tasks/${await task()}/backfill`, RANGE)}/cancel`),
    ],
    'POST /jobs': ['run.create', async () => http.post('/jobs', { type: await named() })],
    'POST /jobs/batch': ['run.create', async () => http.post('/jobs/batch', { jobs: [{ type: await named() }] })],
    'POST /runs/:id/cancel': ['run.cancel', async () => http.post(`/runs/${await run()}/cancel`)],
    'POST /runs/:id/replay': ['run.replay', async () => http.post(`/runs/${await pending()}/replay`)],
    'POST /runs/:id/resolve': [
      'run.resolve',
      async () => http.post(`/runs/${await pending()}/resolve`, { remark: 'done' }),
    ],
    'POST /runs/:id/retry': ['run.retry', async () => http.post(`/runs/${await pending()}/retry`)],
    'POST /deliveries/:id/redeliver': [
      'delivery.redeliver',
      async () => http.post(`/deliveries/${await delivery()}/redeliver`),
    ],
    'POST /api-keys': ['api_key.create', () => http.post('/api-keys', { name: 'robot', role: 'VIEWER' })],
    'DELETE /api-keys/:id': [
      'api_key.revoke',
      async () => http.delete(`/api-keys/${await made('/api-keys', { name: 'gone', role: 'VIEWER' })}`),
    ],
    'POST /cluster/nodes/:id/drain': ['node.drain', async () => http.post(`/cluster/nodes/${await node()}/drain`)],
    'POST /cluster/nodes/:id/undrain': [
      'node.undrain',
      async () => http.post(`/cluster/nodes/${await node()}/undrain`),
    ],
  };

  it('is known here: each route that is not for reading, or why it leaves no trace', () => {
    const changing = Object.keys(ROUTE_RIGHTS).filter((route) => !route.startsWith('GET '));
    expect([...Object.keys(DEEDS), ...Object.keys(EXCEPTIONS)].sort()).toEqual(changing.sort());
  });

  it.each(Object.keys(DEEDS))('is in the audit log, with who did it: %s', async (route) => {
    const [action, deed] = DEEDS[route];
    const { status, headers, data } = await deed();
    expect([status < 300, data]).toEqual([true, data]);
    const entries = (await http.get('/audit?limit=50')).data.items as { trace_id: string }[];
    const own = entries.filter(({ trace_id }) => trace_id === headers['x-trace-id']);
    expect(own).toMatchObject([{ action, by: 'root', tenant: 'default' }]);
  });
});
