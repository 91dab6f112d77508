import fs from 'node:fs';
import path from 'node:path';
import { StartupError } from './startup-error.js';

interface Holder {
  pid: number;
  /** Tells a process from a later one that was given the same pid. */
  born: string;
  url: string;
}

export interface DataLock {
  /** The one before us was killed: parts of it may still be on their way out. */
  tookOver: boolean;
  release(): void;
}

/** One launcher per data directory. */
export function lockData(dataDir: string, url: string): DataLock {
  makeFolder(dataDir);
  const file = path.join(dataDir, 'launcher.lock');
  const self: Holder = { pid: process.pid, born: birthOf(process.pid), url };
  for (let tookOver = false; ; tookOver = true) {
    if (create(file, self)) return { tookOver, release: () => fs.rmSync(file, { force: true }) };
    const holder = read(file);
    if (holder && birthOf(holder.pid) === holder.born) throw taken(dataDir, holder);
    setAside(file, holder);
  }
}

/** Of two that find the same dead holder, the slower one must not remove the lock the faster one has just made. */
function setAside(file: string, dead: Holder | undefined): void {
  const aside = `${file}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
    if (read(aside)?.born !== dead?.born) fs.linkSync(aside, file);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  fs.rmSync(aside, { force: true });
}

/** Written aside and linked into place: whoever sees the lock sees all of it. */
function create(file: string, holder: Holder): boolean {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify(holder));
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function read(file: string): Holder | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** When a process was started, '' if it is not there. In a container the same low pids come back at every start. */
function birthOf(pid: number): string {
  if (process.platform === 'linux') {
    try {
      // The second field, the command, may contain blanks and parentheses.
      const fields = fs
        .readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return fields[0] === 'Z' ? '' : fields[19];
    } catch {
      return '';
    }
  }
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'alive' : '';
  }
}

function taken(dataDir: string, { pid, url }: Holder): StartupError {
  const nearby = path.relative('', dataDir);
  const another = `${nearby === '' || nearby.startsWith('..') ? dataDir : nearby}-2`;
  return new StartupError(
    `Punctual already runs on the data in ${dataDir} (pid ${pid}, ${url}): stop it first, ` +
      `or start a second one with DATA_DIR=${another} PORT=3001 npm start`,
  );
}

function makeFolder(dataDir: string): void {
  try {
    fs.mkdirSync(dataDir, { recursive: true });
    fs.accessSync(dataDir, fs.constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `cannot write to ${dataDir} (${code}): choose another folder, DATA_DIR=/some/folder npm start`,
    );
  }
}
