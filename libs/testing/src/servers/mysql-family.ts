import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import mariadb from 'mariadb';
import { freePort } from './free-port.js';
import { type ServerProcess, startServer } from './server-process.js';

export interface MySqlServer extends ServerProcess {
  port: number;
  url(database?: string): string;
}

export interface MySqlOptions {
  /** true writes and syncs the log at every commit, as production does. */
  durable?: boolean;
  args?: string[];
  /** Where its data goes, in a folder of its own; by default among the temporary files. */
  below?: string;
}

/** Started as root they refuse to run unless they are told whom to become; the folder has to be that account's. */
export function accountArgs(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const name = spawnSync('getent', ['passwd', 'mysql']).status === 0 ? 'mysql' : 'nobody';
  const id = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  fs.chownSync(folder, id('-u'), id('-g'));
  return [`--user=${name}`];
}

export interface PreparedServer {
  command: string;
  /** With the data folder, which is there already. */
  args: string[];
  folder: string;
  password: string;
  /** The statement that makes the account which tests log in as, of any name; this one is new to the server or to be replaced. */
  account: (name: string) => string[];
  options: MySqlOptions;
}

/** A MySQL or MariaDB on data that has been made for it, with one account that may do everything. */
export async function startPrepared(prepared: PreparedServer): Promise<MySqlServer> {
  const { command, folder, password, options } = prepared;
  const port = await freePort();
  const args = [...prepared.args, ...serverArgs(prepared, port), ...(options.args ?? [])];
  const url = (database = '') => `mysql://punctual:${password}@127.0.0.1:${port}/${database}`;
  const server = await startServer({ command, args, folder, isReady: () => answers(port, password) });
  return Object.assign(server, { port, url });
}

function serverArgs({ folder, account, options }: PreparedServer, port: number): string[] {
  const name = `'punctual'@'127.0.0.1'`;
  const initFile = path.join(folder, 'init.sql');
  const statements = [...account(name), `GRANT ALL ON *.* TO ${name} WITH GRANT OPTION`];
  fs.writeFileSync(initFile, statements.map((statement) => `${statement};\n`).join(''));
  return [
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${path.join(folder, 'server.sock')}`,
    `--pid-file=${path.join(folder, 'server.pid')}`,
    `--init-file=${initFile}`,
    '--skip-name-resolve',
    '--max-connections=300',
    '--innodb-buffer-pool-size=128M',
    `--innodb-flush-log-at-trx-commit=${options.durable ? 1 : 0}`,
    '--character-set-server=utf8mb4',
    '--transaction-isolation=READ-COMMITTED',
    '--default-time-zone=+00:00',
  ];
}

async function answers(port: number, password: string): Promise<boolean> {
  try {
    const address = { host: '127.0.0.1', port, user: 'punctual', password, connectTimeout: 1000 };
    await (await mariadb.createConnection({ ...address, allowPublicKeyRetrieval: true })).end();
    return true;
  } catch {
    return false;
  }
}
