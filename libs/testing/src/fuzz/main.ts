import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { eventually } from '../eventually.js';
import { freePort, guard } from '../servers/index.js';
import type { Stack } from '../stack.js';
import { fuzz } from './fuzz.js';
import { isWell, reportLines } from './report.js';
import { residentBytes } from './resident-bytes.js';

export const HELP = `npm run test:fuzz [-- options]

Starts the built API on servers of its own, and sends it requests made from its OpenAPI document: some as they should be, most of them
wrong somewhere. No answer may be a 5xx, come late, be no problem+json where it should, or show the inside; memory must stay flat.

  --requests n        how many                                    5000
  --seed n            the same seed makes the same requests       the time
  --concurrency n     how many at once                            8
  --stack name        embedded, postgres-redis, mariadb-redis,    embedded
                      mysql-redis
  --authorization h   sent as the Authorization header, if the API wants one
  --help              this text

Exit codes: 0 all is well, 1 it is not, 2 could not start.`;

const root = path.resolve(import.meta.dirname, '../../../../..');
const HANG_MS = 30_000;

export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: 'string', default: '5000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
      concurrency: { type: 'string', default: '8' },
      stack: { type: 'string', default: 'embedded' },
      authorization: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { requests, seed, concurrency, ...rest } = values;
  const numbers = { requests: Number(requests), seed: Number(seed), concurrency: Number(concurrency) };
  const wrong = Object.entries(numbers).find(([, value]) => !Number.isSafeInteger(value) || value < 1);
  if (wrong) throw new Error(`--${wrong[0]} must be a whole number from 1`);
  return { ...rest, ...numbers };
}

/** The built API on that stack, without anybody who would carry out what is asked of it. */
export async function fuzzStack(stack: Stack, options: ReturnType<typeof readOptions>): Promise<number> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const { databaseUrl, redisUrl = '', queuePrefix } = stack;
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, QUEUE_PREFIX: queuePrefix, PORT: String(port) };
  const own = { HOST: '127.0.0.1', SCHEDULER: 'disabled', LOG_LEVEL: 'error', LOG_FORMAT: 'json' };
  const api = spawn(process.execPath, [path.join(root, 'dist/apps/api/src/main.js')], {
    env: { ...process.env, ...env, ...own, SECRET_KEYS: `fuzz:${Buffer.alloc(32, 1).toString('base64')}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const guardian = guard(api.pid!, '/nonexistent');
  const ended = new Promise((resolve) => api.once('close', resolve));
  try {
    await eventually(
      async () => (await fetch(`${base}/readyz`).catch(() => null))?.status === 200,
      'the API is ready',
      90_000,
    );
    const memory = () => residentBytes(api.pid!);
    const report = await fuzz({ base, timeoutMs: HANG_MS, memory, progress: progressOf(options.requests), ...options });
    for (const line of reportLines(report)) console.log(line);
    return isWell(report) && api.exitCode === null ? 0 : 1;
  } finally {
    api.kill('SIGTERM');
    await ended;
    guardian.dismiss();
  }
}

function progressOf(requests: number): (done: number) => void {
  const step = Math.max(1, Math.floor(requests / 10));
  return (done) => {
    if (done % step === 0) console.error(`› ${done} of ${requests}`);
  };
}
