import { spawn, type SpawnOptions } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { guard } from './guardian.js';
import { removeDir } from './temp-dir.js';

export interface ServerCommand {
  command: string;
  args: string[];
  /** Its own folder: gets its log, and is removed with it. */
  folder: string;
  isReady: () => Promise<boolean>;
  spawnOptions?: SpawnOptions;
}

export interface ServerProcess {
  pid: number;
  /** Ends the process by its id and removes its folder. May be called twice. */
  stop(): Promise<void>;
}

const READY_MS = 60_000;

/** Starts a server in its own process group and waits until it answers. */
export async function startServer(server: ServerCommand): Promise<ServerProcess> {
  const logFile = path.join(server.folder, 'server.log');
  const log = fs.openSync(logFile, 'a');
  const options = { cwd: '/', stdio: ['ignore', log, log], detached: true, ...server.spawnOptions } as SpawnOptions;
  const child = spawn(server.command, server.args, options);
  fs.closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let isOver = false;
  void exited.then(() => (isOver = true));
  const guardian = child.pid === undefined ? undefined : guard(child.pid, server.folder);
  const stop = async () => {
    guardian?.dismiss();
    if (!isOver) await end(child, exited);
    removeDir(server.folder);
  };
  for (const deadline = Date.now() + READY_MS; !(await server.isReady()); await sleep(20)) {
    if (!isOver && Date.now() < deadline) continue;
    const tail = fs.readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n');
    await stop();
    throw new Error(`${server.command} did not become ready:\n${tail}`);
  }
  child.unref();
  return { pid: child.pid!, stop };
}

async function end(child: { kill(signal: NodeJS.Signals): boolean }, exited: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(force);
}
