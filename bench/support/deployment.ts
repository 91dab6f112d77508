import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '#testing';
import { Child } from './child.js';

export interface DeploymentOptions {
  databaseUrl: string;
  redisUrl: string;
  queuePrefix: string;
  env?: Record<string, string>;
}

const environment = ({ databaseUrl, redisUrl, queuePrefix, env }: DeploymentOptions) => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  QUEUE_PREFIX: queuePrefix,
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  ...env,
});

/** The product's own API process, with its scheduler unless the environment says otherwise; ready. */
export async function startApi(options: DeploymentOptions): Promise<{ process: Child; url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = Child.start('../apps/api/src/main.js', [], { ...environment(options), PORT: String(port) });
  await answers(`${url}/readyz`);
  return { process, url };
}

/** The product's own worker process; ready. */
export async function startWorker(options: DeploymentOptions, concurrency: number): Promise<Child> {
  const port = String(await freePort());
  const env = { WORKER_PORT: port, WORKER_CONCURRENCY: String(concurrency) };
  const process = Child.start('../apps/worker/src/main.js', [], { ...environment(options), ...env });
  await answers(`http://127.0.0.1:${port}/readyz`);
  return process;
}

async function answers(url: string, withinMs = 60_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await pause(25);
  }
  throw new Error(`${url} did not become ready`);
}
