import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** The account a server process runs under; empty means our own. */
export interface ServerAccount {
  uid?: number;
  gid?: number;
}

/**
 * PostgreSQL refuses to run as root, so root hands it to another account: the owner of the data if there is some
 * already, else one that exists on practically every machine.
 */
export function serverAccount(dataDir: string): ServerAccount {
  if (process.getuid?.() !== 0) return {};
  const owner = fs.statSync(path.join(dataDir, 'PG_VERSION'), { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return lookUp('postgres') ?? lookUp('nobody') ?? { uid: 65534, gid: 65534 };
}

function lookUp(name: string): ServerAccount | undefined {
  const { status, stdout } = spawnSync('getent', ['passwd', name], { encoding: 'utf8' });
  const [, , uid, gid] = (stdout ?? '').split(':');
  return status === 0 && uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

/** Whether that account gets into a folder: every folder above it has to let it pass, too. */
export function canEnter(account: ServerAccount, folder: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

export function canRun(account: ServerAccount, program: string): boolean {
  return spawnSync(program, ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

export function give(account: ServerAccount, file: string): void {
  if (account.uid !== undefined && account.gid !== undefined) fs.chownSync(file, account.uid, account.gid);
}
