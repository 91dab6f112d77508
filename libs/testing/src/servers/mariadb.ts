import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import mariadb from 'mariadb';
import { findBinary } from './find-binary.js';
import { freePort } from './free-port.js';
import { type ServerProcess, startServer } from './server-process.js';
import { makeTempDir, removeDir } from './temp-dir.js';

export interface MariaDbServer extends ServerProcess {
  port: number;
  url(database?: string): string;
}

export interface MariaDbOptions {
  /** true writes and syncs the log at every commit, as production does. */
  durable?: boolean;
  args?: string[];
  /** Where its data goes, in a folder of its own; by default among the temporary files. */
  below?: string;
}

const run = promisify(execFile);

/** Both programs, or undefined when one is missing. */
export function findMariaDb(): { server: string; install: string } | undefined {
  const server = findBinary('mariadbd');
  const install = findBinary('mariadb-install-db');
  return server && install ? { server, install } : undefined;
}

export async function startMariaDb(options: MariaDbOptions = {}): Promise<MariaDbServer> {
  const programs = findMariaDb();
  if (!programs) throw new Error('mariadbd is not installed: apt-get install mariadb-server');
  const folder = makeTempDir('mariadb', options.below);
  const password = randomBytes(12).toString('hex');
  const common = ['--no-defaults', `--datadir=${path.join(folder, 'data')}`, ...accountArgs(folder)];
  try {
    await run(programs.install, [...common, '--auth-root-authentication-method=normal', '--skip-test-db']);
  } catch (error) {
    removeDir(folder);
    throw error;
  }
  const port = await freePort();
  const args = [...common, ...serverArgs(folder, port, password, options.durable ?? false), ...(options.args ?? [])];
  const url = (database = '') => `mysql://punctual:${password}@127.0.0.1:${port}/${database}`;
  const server = await startServer({ command: programs.server, args, folder, isReady: () => answers(port, password) });
  return Object.assign(server, { port, url });
}

/** mariadbd refuses to run as root unless it is told whom to become; the folder has to be that account's. */
function accountArgs(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const name = spawnSync('getent', ['passwd', 'mysql']).status === 0 ? 'mysql' : 'nobody';
  const id = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  fs.chownSync(folder, id('-u'), id('-g'));
  return [`--user=${name}`];
}

function serverArgs(folder: string, port: number, password: string, durable: boolean): string[] {
  const initFile = path.join(folder, 'init.sql');
  const user = `CREATE OR REPLACE USER 'punctual'@'127.0.0.1' IDENTIFIED BY '${password}';`;
  fs.writeFileSync(initFile, `${user}\nGRANT ALL ON *.* TO 'punctual'@'127.0.0.1' WITH GRANT OPTION;\n`);
  return [
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${path.join(folder, 'server.sock')}`,
    `--pid-file=${path.join(folder, 'server.pid')}`,
    `--init-file=${initFile}`,
    '--skip-name-resolve',
    '--max-connections=300',
    '--innodb-buffer-pool-size=128M',
    '--innodb-log-file-size=64M',
    `--innodb-flush-log-at-trx-commit=${durable ? 1 : 0}`,
    '--character-set-server=utf8mb4',
    '--transaction-isolation=READ-COMMITTED',
    '--default-time-zone=+00:00',
  ];
}

async function answers(port: number, password: string): Promise<boolean> {
  try {
    const options = { host: '127.0.0.1', port, user: 'punctual', password, connectTimeout: 1000 };
    await (await mariadb.createConnection(options)).end();
    return true;
  } catch {
    return false;
  }
}
