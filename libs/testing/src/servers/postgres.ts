import path from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#database';
import { guard } from './guardian.js';
import { makeTempDir, removeDir } from './temp-dir.js';

export interface PostgresOptions {
  durable?: boolean;
  settings?: Record<string, string | number>;
}

/** PostgreSQL from npm in a folder of its own; stop() removes the folder, too. */
export async function startPostgres(options: PostgresOptions = {}): Promise<EmbeddedPostgres> {
  const folder = makeTempDir('postgres');
  const server = await startEmbeddedPostgres({
    dataDir: path.join(folder, 'postgres'),
    durable: options.durable ?? false,
    settings: { shared_buffers: '128MB', ...options.settings },
  });
  // Elsewhere than asked when the temporary folder is closed to the server's account.
  const actual = path.dirname(server.dataDir);
  const guardian = guard(server.pid, actual, 'INT');
  const stop = async () => {
    guardian.dismiss();
    await server.stop();
    for (const used of [folder, actual]) removeDir(used);
  };
  return { ...server, stop };
}
