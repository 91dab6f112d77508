import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { findBinary } from './find-binary.js';
import { accountArgs, type MySqlOptions, type MySqlServer, startPrepared } from './mysql-family.js';
import { makeTempDir, removeDir } from './temp-dir.js';

const run = promisify(execFile);
/** Plans in the words of MySQL 8 and MariaDB, whatever is later's default; a server that knows only those passes over it. */
const PLANS = ['--loose-explain-format=TRADITIONAL', '--loose-explain-json-format-version=1'];

let found: { server: string | undefined } | undefined;

/** MySQL's own server: `MYSQLD`, or the mysqld of this machine unless that is MariaDB under its old name. */
export function findMySql(): string | undefined {
  found ??= { server: named() ?? installed() };
  return found.server;
}

/** Whoever names a server wants it: one that does not answer is a mistake, and no reason to leave the stack out. */
function named(): string | undefined {
  const program = process.env.MYSQLD;
  if (program && !isMySql(program)) throw new Error(`MYSQLD=${program} is no MySQL server that runs here`);
  return program || undefined;
}

function installed(): string | undefined {
  const program = findBinary('mysqld');
  return program && isMySql(program) ? program : undefined;
}

function isMySql(program: string): boolean {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 && !stdout.includes('MariaDB');
}

export async function startMySql(options: MySqlOptions = {}): Promise<MySqlServer> {
  const command = findMySql();
  if (!command) throw new Error('mysqld is not installed; MYSQLD can say where it is');
  const folder = makeTempDir('mysql', options.below);
  const args = ['--no-defaults', `--datadir=${path.join(folder, 'data')}`, ...accountArgs(folder)];
  try {
    await run(command, [...args, '--initialize-insecure']);
  } catch (error) {
    removeDir(folder);
    throw error;
  }
  const password = randomBytes(12).toString('hex');
  const account = (name: string) => [`DROP USER IF EXISTS ${name}`, `CREATE USER ${name} IDENTIFIED BY '${password}'`];
  const quiet = ['--mysqlx=OFF', '--secure-file-priv=', '--skip-log-bin', '--innodb-redo-log-capacity=128M'];
  return startPrepared({ command, args: [...args, ...quiet, ...PLANS], folder, password, account, options });
}
