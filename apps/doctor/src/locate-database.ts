import path from 'node:path';
import type { Config } from '#config';
import { runningPostgresUrl } from '#database';

/** Nothing could be checked; the message says what to do about it. */
export class CannotCheck extends Error {}

/** The database of the settings; without one, that of an `npm start` on this machine. */
export function locateDatabase({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  if (databaseUrl !== null) return databaseUrl;
  const url = runningPostgresUrl(path.join(dataDir, 'postgres'), 'punctual');
  if (url !== null) return url;
  throw new CannotCheck(
    `DATABASE_URL is not set, and no embedded PostgreSQL runs on the data in ${path.resolve(dataDir)}: ` +
      'leave `npm start` running meanwhile, or set DATABASE_URL (or DATA_DIR)',
  );
}
