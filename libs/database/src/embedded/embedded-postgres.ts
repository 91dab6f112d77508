import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binariesFor } from './binaries.js';
import { ensureData, locateData } from './data-directory.js';
import { findLeftover, isServing, type Postmaster, readPostmaster, stopPostmaster } from './postmaster.js';
import { serverAccount } from './server-account.js';
import { launchServer, type ServerPlan } from './launch-server.js';

export interface EmbeddedPostgresOptions {
  /** The wanted folder; created when missing. `<dataDir>.log` beside it receives the server's log. */
  dataDir: string;
  /** A fixed port; by default any free one. */
  port?: number;
  /** false gives up crash safety for speed: for tests and benchmarks. */
  durable?: boolean;
  /** postgresql.conf settings, over the ones chosen here. */
  settings?: Record<string, string | number>;
  /** Hears what a person should know, e.g. that the data went elsewhere. */
  say?: (line: string) => void;
}

export interface EmbeddedPostgres {
  url(database?: string): string;
  pid: number;
  port: number;
  /** Where the data really is. */
  dataDir: string;
  /** true when a server left over by a killed parent was taken over. */
  adopted: boolean;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** PostgreSQL out of an npm package: nothing to install, works as root and as any other user. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const wanted = path.resolve(options.dataDir);
  const say = options.say ?? ((line) => console.error(line));
  const durable = options.durable ?? true;
  const dataDir = locateData(wanted, serverAccount(wanted), say);
  const account = serverAccount(dataDir);
  const binaries = binariesFor(account);
  fs.mkdirSync(path.dirname(dataDir), { recursive: true });
  const password = ensureData(dataDir, binaries, account, durable);
  const leftover = await adoptable(dataDir, options.port);
  const plan: ServerPlan = {
    dataDir,
    binaries,
    account,
    port: options.port,
    durable,
    settings: options.settings ?? {},
  };
  const { pid, port } = leftover ?? (await launchServer(plan));
  return handle({ pid, port, dataDir, password, adopted: leftover !== undefined });
}

async function adoptable(dataDir: string, port: number | undefined): Promise<Postmaster | undefined> {
  const leftover = findLeftover(dataDir);
  if (!leftover) return undefined;
  const settled = await settle(dataDir, leftover);
  if (settled && (port === undefined || port === settled.port)) return settled;
  if (settled) await stopPostmaster(settled.pid, dataDir);
  return undefined;
}

/** A leftover may be on its way up (recovery) or down: wait until it is one or the other. */
async function settle(dataDir: string, leftover: Postmaster): Promise<Postmaster | undefined> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    if (!findLeftover(dataDir)) return undefined;
    const now = readPostmaster(dataDir);
    if (now?.ready) return now;
    await sleep(20);
  }
  return leftover;
}

function handle(server: {
  pid: number;
  port: number;
  dataDir: string;
  password: string;
  adopted: boolean;
}): EmbeddedPostgres {
  const { pid, port, dataDir, password, adopted } = server;
  // Should this process end without stop(), the server at least gets the signal to follow.
  const follow = () => {
    try {
      process.kill(pid, 'SIGINT');
    } catch {
      // It is gone already.
    }
  };
  process.once('exit', follow);
  return {
    pid,
    port,
    dataDir,
    adopted,
    isRunning: () => isServing(pid, dataDir),
    url: (database = 'postgres') => `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`,
    stop: async () => {
      process.off('exit', follow);
      await stopPostmaster(pid, dataDir);
    },
  };
}
