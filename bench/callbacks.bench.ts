import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { startApi, startWorker } from './support/deployment.js';
import type { DialectName, Lab } from './support/lab.js';
import { type Figure, print, say } from './support/report.js';

const RUNS = Number(process.env.BENCH_MANY ?? 5_000);
const TASKS = 20;
const CONNECTIONS = 50;
const BATCH = 1_000;

interface Accepted {
  url: string;
  token: string;
}

/** How many heartbeats and callbacks one API process takes in a second, from 50 connections at once. */
export async function benchCallbacks(lab: Lab): Promise<void> {
  for (const dialect of lab.dialects) print(`Callbacks on ${dialect}`, await measure(lab, dialect), { ratios: false });
}

async function measure(lab: Lab, dialect: DialectName): Promise<Figure[]> {
  const target = await startTarget();
  const databaseUrl = await (await lab.server(dialect)).newDatabase();
  const { url: redisUrl } = await lab.redis();
  const options = { databaseUrl, redisUrl, queuePrefix: `callbacks-${dialect}`, env: { SCHEDULER: 'disabled' } };
  const api = await startApi(options);
  const worker = await startWorker({ ...options, env: { PUBLIC_URL: api.url } }, CONNECTIONS);
  try {
    await submit(api.url, target.url);
    await until(() => target.accepted.length >= RUNS);
    say(`${dialect}: ${RUNS} runs were accepted`);
    const beats = await perSecond(target.accepted, (one) => post(`${one.url}/heartbeat`, one.token, { progress: 1 }));
    const callbacks = await perSecond(target.accepted, (one) => post(one.url, one.token, { status: 'SUCCESS' }));
    return [
      { name: 'heartbeats', value: beats, unit: '/s' },
      { name: 'callbacks that close a run', value: callbacks, unit: '/s' },
    ];
  } finally {
    await worker.stop();
    await api.process.stop();
    target.close();
  }
}

/** Accepts everything, and notes whom to call back. */
async function startTarget() {
  const accepted: Accepted[] = [];
  const server = createServer((call, response) => {
    const { 'x-punctual-callback-url': url, 'x-punctual-callback-token': token } = call.headers;
    accepted.push({ url: String(url), token: String(token) });
    call.resume().once('end', () => response.writeHead(202).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { accepted, url, close: () => server.close().closeAllConnections() };
}

async function submit(url: string, targetUrl: string): Promise<void> {
  const name = (n: number) => `callbacks-${n}`;
  const definition = { target_url: targetUrl, exec_type: 'ASYNC', max_concurrency: 0 };
  for (let n = 0; n < TASKS; n++) await post(`${url}/api/v1/tasks`, '', { ...definition, name: name(n) });
  for (let sent = 0; sent < RUNS; sent += BATCH) {
    const jobs = Array.from({ length: Math.min(BATCH, RUNS - sent) }, (_, n) => ({
      type: name(n % TASKS),
      payload: n,
    }));
    await post(`${url}/api/v1/jobs/batch`, '', { jobs });
  }
}

async function perSecond(items: readonly Accepted[], work: (item: Accepted) => Promise<void>): Promise<number> {
  const left = [...items];
  const began = performance.now();
  const one = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  return (items.length * 1000) / (performance.now() - began);
}

const dispatcher = new Agent({ connections: CONNECTIONS });

async function post(url: string, token: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await request(url, { method: 'POST', dispatcher, headers, body: JSON.stringify(body) });
  const text = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`${url}: ${response.statusCode} ${text.slice(0, 300)}`);
}

async function until(isSo: () => boolean, withinMs = 120_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > end) throw new Error('the runs were not accepted in time');
    await pause(20);
  }
}
