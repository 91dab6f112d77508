import pg from 'pg';
import { type CaFile, postgresAddress } from '#config';
import type { MigrationSession } from './session.js';

/** The advisory lock `prisma migrate` itself takes. */
const LOCK = 72707369;

const LEDGER = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

export async function connectPostgres(url: string, ca: CaFile | null): Promise<MigrationSession> {
  const client = new pg.Client({
    ...postgresAddress(url, ca),
    connectionTimeoutMillis: 10_000,
    application_name: 'punctual-migrate',
  });
  client.on('error', () => undefined); // a lost connection shows as the next statement's error
  await client.connect();
  return {
    lock: async () => void (await client.query('SELECT pg_advisory_lock($1)', [LOCK])),
    createLedger: async () => {
      // Asked first: a role that may only read and write is refused even where IF NOT EXISTS has nothing to do.
      const { rows } = await client.query<{ ledger: string | null }>(
        `SELECT to_regclass('_prisma_migrations') AS ledger`,
      );
      if (rows[0].ledger === null) await client.query(LEDGER);
    },
    applied: async () => {
      const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
        `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
           FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
      );
      return rows;
    },
    begin: async (id, name, checksum) =>
      void (await client.query('INSERT INTO _prisma_migrations (id, migration_name, checksum) VALUES ($1, $2, $3)', [
        id,
        name,
        checksum,
      ])),
    // Many statements in one query are one transaction: a script that fails leaves nothing behind.
    apply: async (script) => void (await client.query(script)),
    finish: async (id) =>
      void (await client.query(
        'UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = applied_steps_count + 1 WHERE id = $1',
        [id],
      )),
    fail: async (id, reason) =>
      // Nothing of it was kept, so the next start may try again.
      void (await client.query('UPDATE _prisma_migrations SET logs = $2, rolled_back_at = now() WHERE id = $1', [
        id,
        reason,
      ])),
    close: () => client.end(),
  };
}
