import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { markOf, type ProcessMark, processesWith } from './processes.js';

/** By this variable a command's processes are found again, wherever they have gone. */
export const EXEC_ID = 'PUNCTUAL_EXEC_ID';

const SUFFIX = '.json';
/** Of a note that is being written. */
const UNFINISHED = '.tmp';
/** No attempt may take longer. */
const A_DAY_MS = 86_400_000;
/** A process may start another one while it is being killed. */
const ROUNDS = 5;

/**
 * Which commands run on this machine, one small file each, written before the command starts: so that those of a worker
 * that was killed are found, and killed, when a worker starts again. Without /proc nothing is noted.
 */
export class CommandNotes {
  private self: Promise<ProcessMark | null> | undefined;

  constructor(private readonly folder: string) {}

  async add(execId: string): Promise<void> {
    const worker = await (this.self ??= markOf(process.pid));
    if (worker === null) return;
    await this.makeFolder();
    // Whoever reads it reads all of it: half a note would look like one of a worker that is gone.
    const unfinished = path.join(this.folder, execId + UNFINISHED);
    await writeFile(unfinished, JSON.stringify(worker));
    await rename(unfinished, this.fileOf(execId));
  }

  async remove(execId: string): Promise<void> {
    await rm(this.fileOf(execId), { force: true });
  }

  /** Kills what workers left behind that are no longer there. Gives the executions it found something of. */
  async killOrphans(): Promise<string[]> {
    await this.makeFolder();
    const left = new Set<string>();
    for (const name of await readdir(this.folder)) {
      if (name.endsWith(SUFFIX) && (await this.isLeft(name))) left.add(name.slice(0, -SUFFIX.length));
      if (name.endsWith(UNFINISHED)) await removeIfOld(path.join(this.folder, name));
    }
    const killed = left.size === 0 ? [] : await killAll(left);
    for (const execId of left) await this.remove(execId);
    return killed;
  }

  private async makeFolder(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  private async isLeft(name: string): Promise<boolean> {
    const file = path.join(this.folder, name);
    try {
      const noted = JSON.parse(await readFile(file, 'utf8')) as ProcessMark;
      const now = await markOf(noted.pid);
      const here = await (this.self ??= markOf(process.pid));
      // Of another machine, or another container: not ours to judge. After a day nothing of it can be left.
      if (noted.machine !== here?.machine) return await isOld(file);
      return now?.startedAt !== noted.startedAt;
    } catch {
      // Gone meanwhile, or never written to its end: then its command was never started.
      return true;
    }
  }

  private fileOf(execId: string): string {
    return path.join(this.folder, execId + SUFFIX);
  }
}

const isOld = async (file: string): Promise<boolean> => Date.now() - (await stat(file)).mtimeMs > A_DAY_MS;

/** Whoever began to write it died before its command started. */
async function removeIfOld(file: string): Promise<void> {
  if (await isOld(file).catch(() => false)) await rm(file, { force: true });
}

async function killAll(execIds: ReadonlySet<string>): Promise<string[]> {
  const killed = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const found = (await processesWith(EXEC_ID)).filter(({ value }) => execIds.has(value));
    if (found.length === 0) break;
    for (const { pid, value } of found) {
      killed.add(value);
      kill(-pid);
      kill(pid);
    }
  }
  return [...killed];
}

/** The group that a process leads, or the process alone. */
function kill(target: number): void {
  try {
    process.kill(target, 'SIGKILL');
  } catch {
    // It leads none, or has ended.
  }
}
