import mariadb from 'mariadb';
import type { CaFile } from '#config';
import { mySqlAddress } from '../mysql-address.js';
import type { MigrationSession } from './session.js';

/** The lock `prisma migrate` itself takes. */
const LOCK = 'prisma_migrate';
const LOCK_WAIT_SECONDS = 600;

const LEDGER = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at DATETIME(3),
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at DATETIME(3),
  started_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), applied_steps_count INTEGER UNSIGNED NOT NULL DEFAULT 0
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`;

export async function connectMySql(url: string, ca: CaFile | null): Promise<MigrationSession> {
  const connection = await mariadb.createConnection({
    ...mySqlAddress(url, ca),
    multipleStatements: true,
  });
  return {
    // Locks are by server, not by database: the database's name belongs to the lock's. Not by MD5, which MySQL 9.6 has taken out.
    lock: async () => {
      const [{ got }] = await connection.query<{ got: bigint | number | null }[]>(
        'SELECT GET_LOCK(CONCAT(?, LEFT(SHA2(DATABASE(), 256), 16)), ?) AS got',
        [LOCK, LOCK_WAIT_SECONDS],
      );
      if (Number(got) !== 1) throw new Error(`another process has been migrating for ${LOCK_WAIT_SECONDS} s`);
    },
    createLedger: async () => {
      // Asked first: a user who may only read and write is refused even where IF NOT EXISTS has nothing to do.
      const found = await connection.query<object[]>("SHOW TABLES LIKE '\\_prisma\\_migrations'");
      if (found.length === 0) await connection.query(LEDGER);
    },
    applied: async () => {
      const rows = await connection.query<{ name: string; checksum: string; finished: bigint | number }[]>(
        `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
           FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
      );
      return rows.map((row) => ({ ...row, finished: Number(row.finished) === 1 }));
    },
    begin: async (id, name, checksum) =>
      void (await connection.query(
        'INSERT INTO _prisma_migrations (id, migration_name, checksum, started_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))',
        [id, name, checksum],
      )),
    apply: async (script) => void (await connection.query(script)),
    finish: async (id) =>
      void (await connection.query(
        'UPDATE _prisma_migrations SET finished_at = UTC_TIMESTAMP(3), applied_steps_count = applied_steps_count + 1 WHERE id = ?',
        [id],
      )),
    // DDL commits by itself here: what a failed script did stays, so its row stays unfinished until a person has looked.
    fail: async (id, reason) =>
      void (await connection.query('UPDATE _prisma_migrations SET logs = ? WHERE id = ?', [
        reason.slice(0, 60_000),
        id,
      ])),
    close: () => connection.end(),
  };
}
