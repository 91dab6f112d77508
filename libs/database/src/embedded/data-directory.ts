import { randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canEnter, give, type ServerAccount } from './server-account.js';

const PASSWORD = 'punctual.password';

const hasData = (dataDir: string) => fs.existsSync(path.join(dataDir, 'PG_VERSION'));

const pointerOf = (wanted: string) => `${wanted}.location`;

/** Where the data of the wanted folder is, if there is any. */
export function whereDataIs(wanted: string): string {
  const pointer = pointerOf(wanted);
  return fs.existsSync(pointer) ? fs.readFileSync(pointer, 'utf8').trim() : wanted;
}

/**
 * Where the data is, or will be. When the server's account may not enter the wanted folder (a checkout below a home
 * with mode 0700, started by root), the data goes elsewhere, and a file beside the wanted folder says where.
 */
export function locateData(wanted: string, account: ServerAccount, say: (line: string) => void): string {
  const pointer = pointerOf(wanted);
  if (fs.existsSync(pointer)) return whereDataIs(wanted);
  const parent = path.dirname(wanted);
  fs.mkdirSync(parent, { recursive: true });
  if (canEnter(account, parent)) return wanted;
  if (hasData(wanted)) {
    throw new Error(
      `the account that runs PostgreSQL (uid ${account.uid}) may no longer enter ${wanted}: ` +
        `give every folder on the way the x right for others, or move the data`,
    );
  }
  const elsewhere = path.join(makeElsewhere(), 'postgres');
  pointTo(pointer, elsewhere);
  say(`the account that runs PostgreSQL (uid ${account.uid}) may not enter ${parent}: the data is in ${elsewhere}`);
  return elsewhere;
}

/** Whole or not at all: half a path would lead nowhere. */
function pointTo(pointer: string, place: string): void {
  const draft = `${pointer}.${process.pid}`;
  fs.writeFileSync(draft, `${place}\n`, { flush: true });
  fs.renameSync(draft, pointer);
}

/**
 * A new folder each time: the file that says where it is goes with the wanted folder's surroundings, so whoever removes those, or
 * makes another checkout in their place, begins anew, and does not meet old data without the key its secrets were sealed with.
 */
function makeElsewhere(): string {
  const problems: string[] = [];
  // /var/lib first: the temporary folders are swept by some systems.
  for (const base of ['/var/lib', '/var/tmp', os.tmpdir()]) {
    try {
      const folder = fs.mkdtempSync(path.join(base, 'punctual-'));
      fs.chmodSync(folder, 0o711);
      return folder;
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new Error(
    `no place found for the data: ${problems.join('; ')}. Set DATA_DIR to a folder that is open to others`,
  );
}

/** Creates the cluster unless it is there. Returns the superuser's password, which lives inside the data directory. */
export function ensureData(dataDir: string, binaries: string, account: ServerAccount, durable: boolean): string {
  if (!hasData(dataDir)) initialise(dataDir, binaries, account, durable);
  return passwordOf(dataDir);
}

export function passwordOf(dataDir: string): string {
  try {
    return fs.readFileSync(path.join(dataDir, PASSWORD), 'utf8').trim();
  } catch (error) {
    throw new Error(
      `the data in ${dataDir} cannot be read (${(error as NodeJS.ErrnoException).code}): start as the account that ` +
        `made it, or choose another folder with DATA_DIR`,
      { cause: error },
    );
  }
}

/** Into a draft that is renamed when complete: an interrupted first start leaves nothing half made. */
function initialise(dataDir: string, binaries: string, account: ServerAccount, durable: boolean): void {
  const draft = `${dataDir}.draft`;
  const passwordFile = `${dataDir}.password`;
  for (const leftover of [draft, passwordFile]) fs.rmSync(leftover, { recursive: true, force: true });
  fs.mkdirSync(draft, { mode: 0o700 });
  fs.writeFileSync(passwordFile, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
  give(account, draft);
  give(account, passwordFile);
  const options = ['-U', 'postgres', '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '--no-instructions'];
  if (!durable) options.push('--no-sync');
  const { status, error, stderr } = spawnSync(
    path.join(binaries, 'bin', 'initdb'),
    ['-D', draft, `--pwfile=${passwordFile}`, ...options],
    { ...account, env: { ...process.env, LC_ALL: 'C' }, cwd: '/', encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
  fs.renameSync(passwordFile, path.join(draft, PASSWORD));
  fs.rmSync(dataDir, { recursive: true, force: true });
  fs.renameSync(draft, dataDir);
}
