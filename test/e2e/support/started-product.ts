import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { guard } from '#testing';

const root = path.resolve(import.meta.dirname, '../../..');

/** What `npm start` runs, as a process of its own, and everything it has printed. */
export class StartedProduct {
  output = '';
  exitCode: number | null | undefined;
  private readonly changes = new EventEmitter();
  private readonly guardian: { dismiss(): void };

  private constructor(readonly process: ChildProcess) {
    const hear = (chunk: Buffer) => {
      this.output += chunk.toString();
      this.changes.emit('change');
    };
    process.stdout?.on('data', hear);
    process.stderr?.on('data', hear);
    process.once('close', (code) => {
      this.exitCode = code;
      this.guardian.dismiss();
      this.changes.emit('change');
    });
    this.guardian = guard(process.pid!, '/nonexistent');
  }

  /** Empty settings stand against a .env in the checkout, and a unique one marks every process that comes of it. */
  static start(
    dataDir: string,
    env: Record<string, string>,
    by = [process.execPath, 'scripts/start.mjs'],
  ): StartedProduct {
    const clean = { HOST: '127.0.0.1', DATABASE_URL: '', REDIS_URL: '', OUTBOUND_ALLOW: '', LOG_FORMAT: 'json' };
    const [command, ...args] = by;
    return new StartedProduct(
      spawn(command, args, {
        cwd: root,
        env: { ...process.env, ...clean, DATA_DIR: dataDir, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  async printed(text: string, timeoutMs = 60_000): Promise<void> {
    await this.until(() => this.output.includes(text) || this.exitCode !== undefined, timeoutMs, `"${text}"`);
    if (!this.output.includes(text)) throw new Error(`it ended with ${this.exitCode} instead:\n${this.output}`);
  }

  /** Waits until it has ended and its output is complete. */
  async ended(timeoutMs = 60_000): Promise<number | null> {
    await this.until(() => this.exitCode !== undefined, timeoutMs, 'its end');
    return this.exitCode ?? null;
  }

  private until(isThere: () => boolean, timeoutMs: number, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        this.changes.off('change', look);
        act();
      };
      const look = () => isThere() && settle(resolve);
      const late = () => reject(new Error(`${what} did not come within ${timeoutMs} ms; it printed:\n${this.output}`));
      const timer = setTimeout(() => settle(late), timeoutMs);
      this.changes.on('change', look);
      look();
    });
  }
}

/** Every living process that was started for that data directory, whoever its parent is by now. */
export function processesOn(dataDir: string): number[] {
  const carries = (pid: string) => readOf(pid, 'environ').split('\0').includes(`DATA_DIR=${dataDir}`);
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && carries(name))
    .map(Number);
}

export const commandOf = (pid: number): string => readOf(pid, 'cmdline');

/** Not one that has ended and whose parent has not asked how. */
export const isAlive = (pid: number): boolean => /^\d+ \(.*\) [^ZX] /s.test(readOf(pid, 'stat'));

/** Empty if the process has gone meanwhile. */
function readOf(pid: number | string, file: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
