import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
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
  readonly pid: number;
  /** As a machine that loses power: nothing is written back. Its folder stays. */
  crash(): Promise<void>;
  /** The same command again, on what is in its folder. */
  restart(): Promise<void>;
  /** Ends the process by its id and removes its folder. May be called twice. */
  stop(): Promise<void>;
}

const READY_MS = 60_000;

/** Starts a server in its own process group and waits until it answers. */
export async function startServer(server: ServerCommand): Promise<ServerProcess> {
  let life = await launch(server);
  return {
    get pid() {
      return life.child.pid!;
    },
    crash: () => life.end('SIGKILL'),
    restart: async () => {
      await life.end('SIGTERM');
      life = await launch(server);
    },
    stop: async () => {
      await life.end('SIGTERM');
      removeDir(server.folder);
    },
  };
}

interface Life {
  child: ChildProcess;
  end(signal: NodeJS.Signals): Promise<void>;
}

async function launch(server: ServerCommand): Promise<Life> {
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
  const end = async (signal: NodeJS.Signals) => {
    guardian?.dismiss();
    if (!isOver) await finish(child, exited, signal);
  };
  for (const deadline = Date.now() + READY_MS; !(await server.isReady()); await sleep(20)) {
    if (!isOver && Date.now() < deadline) continue;
    const tail = fs.readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n');
    await end('SIGTERM');
    removeDir(server.folder);
    throw new Error(`${server.command} did not become ready:\n${tail}`);
  }
  child.unref();
  return { child, end };
}

async function finish(child: ChildProcess, exited: Promise<void>, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(force);
}
