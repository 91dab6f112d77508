import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a running server writes into its data directory. */
export interface Postmaster {
  pid: number;
  port: number;
  ready: boolean;
}

const pidFile = (dataDir: string) => path.join(dataDir, 'postmaster.pid');

/** postmaster.pid: line 1 the pid, line 4 the port, line 8 the state. */
export function readPostmaster(dataDir: string): Postmaster | undefined {
  try {
    const lines = fs.readFileSync(pidFile(dataDir), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

/**
 * A server left over by a parent that was killed, or undefined. A pid that lives proves nothing by itself: it may have
 * been given to another program since, or be a zombie that no one has collected (pid 1 of many containers does not).
 */
export function findLeftover(dataDir: string): Postmaster | undefined {
  const found = readPostmaster(dataDir);
  if (!found) return undefined;
  if (isServing(found.pid, dataDir)) return found;
  // PostgreSQL itself takes the file of a dead process over, but refuses to start if the pid lives in any form.
  if (isAlive(found.pid)) fs.rmSync(pidFile(dataDir), { force: true });
  return undefined;
}

export function isServing(pid: number, dataDir: string): boolean {
  return isAlive(pid) && commandLine(pid).includes(`-D ${dataDir} -p`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function commandLine(pid: number): string {
  if (process.platform !== 'linux') return spawnSync('ps', ['-o', 'command=', '-p', String(pid)]).stdout.toString();
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Fast shutdown; should it not end in time, the immediate one, which recovers at the next start. */
export async function stopPostmaster(pid: number, dataDir: string, timeoutMs = 30_000): Promise<void> {
  for (const [signal, patience] of [
    ['SIGINT', timeoutMs],
    ['SIGQUIT', 5000],
    ['SIGKILL', 5000],
  ] as const) {
    if (!isServing(pid, dataDir)) return;
    process.kill(pid, signal);
    for (const end = Date.now() + patience; Date.now() < end && isServing(pid, dataDir);) await sleep(10);
  }
}
