import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, makeTempDir, removeDir } from '#testing';
import { commandOf, processesOn, StartedProduct } from './support/started-product.js';

interface Run {
  status: string;
  task_name: string;
}

const READY = 'Ctrl-C stops everything.';
// The promise is for a machine of one's own; one that is busy with something else gets more time.
const READY_MS = os.loadavg()[0] > os.availableParallelism() / 2 ? 90_000 : 15_000;

/** The printed commands, as a newcomer would paste them. */
function pasted(output: string): { url: string; body: string; runsUrl: string } {
  const [, url, body] = /curl -sS -X POST (\S+) -H 'content-type: application\/json' -d '(.*)'/.exec(output)!;
  const [, runsUrl] = /curl -sS '(\S+)'/.exec(output)!;
  return { url, body, runsUrl };
}

/** Whatever comes before it is the preparation: a build, if the sources have changed meanwhile. */
const lastLine = ({ output }: StartedProduct) => output.trim().split('\n').at(-1);

async function until<Value>(look: () => Promise<Value | undefined>, timeoutMs: number): Promise<Value> {
  for (const end = Date.now() + timeoutMs; ; await sleep(100)) {
    const value = await look();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms`);
  }
}

const nobodyLeft = (dataDir: string, timeoutMs = 30_000) =>
  until(() => Promise.resolve(processesOn(dataDir).length === 0 ? true : undefined), timeoutMs);

describe('npm start', () => {
  const folder = makeTempDir('start');
  const dataDir = path.join(folder, 'data');
  let port: number;
  let product: StartedProduct;

  beforeAll(async () => {
    port = await freePort();
  });
  afterAll(async () => {
    // Only if a test has failed on the way is there anything to end here.
    for (const pid of processesOn(dataDir)) process.kill(pid, 'SIGKILL');
    await product.ended();
    removeDir(folder);
  });

  it('is ready within 15 seconds and says where', async () => {
    const since = Date.now();
    product = StartedProduct.start(dataDir, { PORT: String(port) });
    await product.printed(READY, 120_000);
    expect(Date.now() - since).toBeLessThan(READY_MS);
    expect(product.output).toContain(`http://127.0.0.1:${port}/docs`);
    expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).toBe(200);
  }, 180_000);

  it('lets a newcomer see a run succeed within seconds', async () => {
    const { url, body, runsUrl } = pasted(product.output);
    const created = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(created.status).toBe(201);
    const { name } = JSON.parse(body) as { name: string };
    const run = await until(async () => {
      const { items } = (await (await fetch(runsUrl)).json()) as { items: Run[] };
      return items.find(({ status, task_name }) => status === 'SUCCESS' && task_name === name);
    }, 180_000);
    expect(run.task_name).toBe(name);
  }, 180_000);

  it('refuses a second instance on the same data, and a taken port, in one line each', async () => {
    const second = StartedProduct.start(dataDir, { PORT: '0' });
    expect(await second.ended()).toBe(1);
    expect(lastLine(second)).toMatch(/^✗ Punctual already runs on the data in .*DATA_DIR=\S+ PORT=3001 npm start$/);

    const elsewhere = StartedProduct.start(path.join(folder, 'other'), { PORT: String(port) });
    expect(await elsewhere.ended()).toBe(1);
    expect(lastLine(elsewhere)).toMatch(
      new RegExp(`^✗ port ${port} on 127.0.0.1 is taken: .*PORT=${port + 1} npm start$`),
    );
  }, 180_000);

  it('starts a worker that dies again, and says so', async () => {
    const isWorker = (pid: number) => commandOf(pid).includes('apps/worker/src/main.js');
    const before = processesOn(dataDir).find(isWorker)!;
    process.kill(before, 'SIGKILL');
    await product.printed('the worker ended (SIGKILL), starting it again in 0.5 s');
    const after = await until(() => Promise.resolve(processesOn(dataDir).find(isWorker)), 30_000);
    expect(after).not.toBe(before);
  }, 180_000);

  it('is taken over by the next start when it was killed, with its data', async () => {
    const { body } = pasted(product.output);
    product.process.kill('SIGKILL');
    await product.ended();
    product = StartedProduct.start(dataDir, { PORT: String(port) });
    await product.printed(READY, 120_000);
    expect(product.output).toContain('took over the PostgreSQL that a killed start had left behind');
    const tasks = await (await fetch(`http://127.0.0.1:${port}/api/v1/tasks`)).text();
    expect(tasks).toContain((JSON.parse(body) as { name: string }).name);
  }, 180_000);

  it('stops everything at Ctrl-C and leaves no process behind', async () => {
    expect(processesOn(dataDir).length).toBeGreaterThanOrEqual(4);
    product.process.kill('SIGINT');
    expect(await product.ended()).toBe(0);
    await nobodyLeft(dataDir);
    expect(fs.existsSync(path.join(dataDir, 'launcher.lock'))).toBe(false);
    expect(fs.existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  }, 180_000);

  it('stops everything when npm, which a supervisor has started, is told to end', async () => {
    product = StartedProduct.start(dataDir, { PORT: String(port) }, ['npm', 'start']);
    await product.printed(READY, 120_000);
    product.process.kill('SIGTERM');
    await nobodyLeft(dataDir);
    await product.ended();
  }, 180_000);
});

describe('npm start with settings that cannot work', () => {
  const folder = makeTempDir('start');
  afterAll(() => removeDir(folder));

  it('names every one of them and starts nothing', async () => {
    const product = StartedProduct.start(folder, { PORT: 'nine', DATABASE_URL: 'mysql://u:secret@127.0.0.1/x' });
    expect(await product.ended()).toBe(1);
    expect(product.output).toContain('PORT is "nine"');
    expect(product.output).toContain('REDIS_URL is not set');
    expect(product.output).not.toContain('secret');
    await nobodyLeft(folder);
  });
});
