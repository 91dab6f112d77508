import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { findBinary } from './find-binary.js';
import { accountArgs, type MySqlOptions, type MySqlServer, startPrepared } from './mysql-family.js';
import { makeTempDir, removeDir } from './temp-dir.js';

const run = promisify(execFile);

/** Both programs, or undefined when one is missing. */
export function findMariaDb(): { server: string; install: string } | undefined {
  const server = findBinary('mariadbd');
  const install = findBinary('mariadb-install-db');
  return server && install ? { server, install } : undefined;
}

export async function startMariaDb(options: MySqlOptions = {}): Promise<MySqlServer> {
  const programs = findMariaDb();
  if (!programs) throw new Error('mariadbd is not installed: apt-get install mariadb-server');
  const folder = makeTempDir('mariadb', options.below);
  const args = ['--no-defaults', `--datadir=${path.join(folder, 'data')}`, ...accountArgs(folder)];
  try {
    await run(programs.install, [...args, '--auth-root-authentication-method=normal', '--skip-test-db']);
  } catch (error) {
    removeDir(folder);
    throw error;
  }
  const password = randomBytes(12).toString('hex');
  const account = (name: string) => [`CREATE OR REPLACE USER ${name} IDENTIFIED BY '${password}'`];
  const log = '--innodb-log-file-size=64M';
  return startPrepared({ command: programs.server, args: [...args, log], folder, password, account, options });
}
