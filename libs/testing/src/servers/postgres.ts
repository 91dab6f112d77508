import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#database';
import { guard } from './guardian.js';
import { makeTempDir, removeDir } from './temp-dir.js';

export interface PostgresOptions {
  durable?: boolean;
  settings?: Record<string, string | number>;
  /** Where its data goes, in a folder of its own; by default among the temporary files. */
  below?: string;
}

export interface PostgresServer extends EmbeddedPostgres {
  /** kill -9 of all its processes, as a machine that loses power would end it. Its folder stays. */
  crash(): Promise<void>;
  /** On what is in its folder, and on the same port. */
  restart(): Promise<void>;
}

/** PostgreSQL from npm in a folder of its own; stop() removes the folder, too. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = makeTempDir('postgres', options.below);
  const launch = (port?: number) =>
    startEmbeddedPostgres({
      dataDir: path.join(folder, 'postgres'),
      port,
      durable: options.durable ?? false,
      settings: { shared_buffers: '128MB', ...options.settings },
    });
  let server = await launch();
  // Elsewhere than asked when the temporary folder is closed to the server's account.
  const actual = path.dirname(server.dataDir);
  let guardian = guard(server.pid, actual, 'INT');
  return {
    ...server,
    get pid() {
      return server.pid;
    },
    isRunning: () => server.isRunning(),
    crash: async () => {
      guardian.dismiss();
      await killAll(server);
    },
    restart: async () => {
      guardian.dismiss();
      server = await launch(server.port);
      guardian = guard(server.pid, actual, 'INT');
    },
    stop: async () => {
      guardian.dismiss();
      await server.stop();
      for (const used of [folder, actual]) removeDir(used);
    },
  };
}

/** Its children first would be noticed by the postmaster, which would start new ones: it stands still until all are dead. */
async function killAll(server: EmbeddedPostgres): Promise<void> {
  process.kill(server.pid, 'SIGSTOP');
  const children = fs.readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(/\s+/);
  for (const pid of [...children.filter(Boolean).map(Number), server.pid]) killQuietly(pid);
  while (server.isRunning()) await sleep(5);
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}
