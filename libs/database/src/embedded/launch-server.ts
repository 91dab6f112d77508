import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPostmaster } from './postmaster.js';
import type { ServerAccount } from './server-account.js';

export interface ServerPlan {
  dataDir: string;
  binaries: string;
  account: ServerAccount;
  port: number | undefined;
  durable: boolean;
  settings: Record<string, string | number>;
}

const LOG_LIMIT = 10 * 1024 * 1024;
const READY_MS = 120_000;
const ATTEMPTS = 10;

/** Starts the server and waits until it takes connections. */
export async function launchServer(plan: ServerPlan): Promise<{ pid: number; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = plan.port ?? (await freePort());
    const outcome = await tryLaunch(plan, port);
    if ('pid' in outcome) return { pid: outcome.pid, port };
    if (attempt === ATTEMPTS || !isPassing(outcome.log, plan.port !== undefined))
      throw failure(plan, port, outcome.log);
    await sleep(300);
  }
}

async function tryLaunch(plan: ServerPlan, port: number): Promise<{ pid: number } | { log: string }> {
  const logFile = `${plan.dataDir}.log`;
  const logFrom = openLog(logFile);
  const child = spawnServer(plan, port, logFile);
  if (await becomesReady(child, plan.dataDir)) return { pid: child.pid! };
  child.kill('SIGINT');
  return { log: fs.readFileSync(logFile).subarray(logFrom).toString() };
}

function spawnServer(plan: ServerPlan, port: number, logFile: string): ChildProcess {
  const args = ['-D', plan.dataDir, '-p', String(port)];
  for (const [name, value] of Object.entries(settingsOf(plan))) args.push('-c', `${name}=${value}`);
  const log = fs.openSync(logFile, 'a');
  // Its own process group, and a file instead of a pipe: a Ctrl-C in the terminal must not reach it before the
  // programs that use it are done, and it must survive a parent that was killed.
  const child = spawn(path.join(plan.binaries, 'bin', 'postgres'), args, {
    ...plan.account,
    env: { ...process.env, LC_ALL: 'C' },
    cwd: '/',
    stdio: ['ignore', log, log],
    detached: true,
  });
  fs.closeSync(log);
  child.unref();
  return child;
}

function settingsOf({ durable, settings }: ServerPlan): Record<string, string | number> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    max_connections: 200,
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    wal_compression: 'on',
    // Queue tables turn over quickly: with the default of a minute dead rows pile up between visits.
    autovacuum_naptime: '5s',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
  };
}

async function becomesReady(child: ChildProcess, dataDir: string): Promise<boolean> {
  let over = false;
  child.once('error', () => (over = true));
  child.once('exit', () => (over = true));
  for (const end = Date.now() + READY_MS; Date.now() < end && !over; await sleep(10)) {
    const now = readPostmaster(dataDir);
    if (now?.ready && now.pid === child.pid) return true;
  }
  return false;
}

/** Somebody took the free port first, or the last processes of a killed server have not left yet. */
function isPassing(log: string, isPortFixed: boolean): boolean {
  return (!isPortFixed && /could not bind|address already in use/i.test(log)) || /shared memory block/.test(log);
}

function failure(plan: ServerPlan, port: number, log: string): Error {
  const lines = log.trim().split('\n');
  const reason = lines.find((line) => line.includes('FATAL')) ?? lines.at(-1) ?? 'it said nothing';
  return new Error(`PostgreSQL did not start on port ${port}: ${reason.trim()} (log: ${plan.dataDir}.log)`);
}

function openLog(file: string): number {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT) fs.renameSync(file, `${file}.1`);
  return size > LOG_LIMIT ? 0 : size;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
