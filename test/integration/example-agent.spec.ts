import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, openStack, type Stack } from '#testing';
import { AgentWorld } from '../support/agents.js';
import { type RunningApi, startApi } from '../support/api.js';

const LEASE_SECONDS = 2;
const FILE = path.resolve(import.meta.dirname, '../../examples/agent/agent.mjs');

describe('the example agent', () => {
  let stack: Stack;
  let api: RunningApi;
  let world: AgentWorld;
  let agent: ChildProcess;
  let output = '';

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { RESCUE_INTERVAL_MS: '300' });
    world = new AgentWorld(api);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  afterEach(() => {
    agent?.kill('SIGKILL');
  });

  const start = (category: string) => {
    const env = { ...process.env, PUNCTUAL_URL: api.url, AGENT_NAME: 'example', AGENT_CATEGORIES: category };
    agent = spawn(process.execPath, [FILE], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    output = '';
    for (const stream of [agent.stdout, agent.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  };

  it('does what it claims, says what failed, and leaves other categories alone', async () => {
    const taskId = await world.create({ category: 'demo', max_concurrency: 0 });
    const other = await world.trigger(await world.create({ category: 'other' }));
    const good = await world.trigger(taskId, { payload: { sleep_ms: 50, a: 1 } });
    const bad = await world.trigger(taskId, { payload: { fail: 'as you wish' } });
    start('demo');
    expect(await world.becomes(good, 'SUCCESS')).toMatchObject({ node: 'example', result: { payload: { a: 1 } } });
    expect(await world.becomes(bad, 'FAILED')).toMatchObject({ error_info: 'as you wish' });
    expect((await world.run(other)).status).toBe('SCHEDULED');
  });

  it('keeps its lease by heartbeats that tell how far it is, and lets go of what is cancelled', async () => {
    const taskId = await world.create({ category: 'long', heartbeat_timeout_sec: LEASE_SECONDS });
    const id = await world.trigger(taskId, { payload: { sleep_ms: 600_000 } });
    start('long');
    await world.becomes(id, 'RUNNING');
    const isSeen = async () => (await world.run(id)).progress !== null;
    await eventually(isSeen, 'it has told how far it is');
    // Three leases later it still has the run: nobody took it from it, and nobody was asked to try again.
    await pause(3 * LEASE_SECONDS * 1000);
    expect(await world.run(id)).toMatchObject({ status: 'RUNNING', attempt: 1, node: 'example' });
    await api.http.post(`/runs/${id}/cancel`);
    const next = await world.trigger(taskId, { payload: {} });
    await world.becomes(next, 'SUCCESS');
    agent.kill('SIGTERM');
    const [code] = (await once(agent, 'exit')) as [number | null];
    expect([code, output]).toEqual([0, expect.stringContaining('stopped')]);
  });

  it('finishes what it has when it is stopped', async () => {
    const id = await world.trigger(await world.create({ category: 'stop' }), { payload: { sleep_ms: 1_500 } });
    start('stop');
    await world.becomes(id, 'RUNNING');
    agent.kill('SIGTERM');
    const [code] = (await once(agent, 'exit')) as [number | null];
    expect([code, (await world.run(id)).status]).toEqual([0, 'SUCCESS']);
  });
});
