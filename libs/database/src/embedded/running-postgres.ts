import path from 'node:path';
import { passwordOf, whereDataIs } from './data-directory.js';
import { isServing, readPostmaster } from './postmaster.js';

/** The address of a database in the embedded PostgreSQL that keeps its data there, or null when that is not running. */
export function runningPostgresUrl(wantedDir: string, database: string): string | null {
  const dataDir = whereDataIs(path.resolve(wantedDir));
  const server = readPostmaster(dataDir);
  if (!server?.ready || !isServing(server.pid, dataDir)) return null;
  return `postgresql://postgres:${passwordOf(dataDir)}@127.0.0.1:${server.port}/${database}`;
}
