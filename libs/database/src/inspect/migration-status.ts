import type { CaFile } from '#config';
import { type Migration, readMigrations, openMigrationSession } from '../migrate.js';

export interface MigrationStatus {
  /** How many are applied. */
  applied: number;
  /** Known here, and not applied yet. */
  missing: string[];
  /** Begun, and not ended. */
  unfinished: string[];
  /** Applied by a newer version than this one. */
  unknown: string[];
  /** Applied, but with another text than they have here. */
  changed: string[];
}

/** Compares the tables' ledger with this checkout. Changes nothing. */
export async function migrationStatus(url: string, ca: CaFile | null = null): Promise<MigrationStatus> {
  const migrations = readMigrations(url);
  const session = await openMigrationSession(url, ca);
  try {
    return compare(migrations, await session.applied());
  } catch (error) {
    // A database that nobody has ever started on.
    if (/_prisma_migrations/.test((error as Error).message)) return compare(migrations, []);
    throw error;
  } finally {
    await session.close();
  }
}

type Applied = { name: string; checksum: string; finished: boolean };

export function compare(migrations: readonly Migration[], ledger: readonly Applied[]): MigrationStatus {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const names = new Set(ledger.map(({ name }) => name));
  return {
    applied: ledger.filter(({ finished }) => finished).length,
    missing: migrations.flatMap(({ name }) => (names.has(name) ? [] : [name])),
    unfinished: ledger.flatMap(({ name, finished }) => (finished ? [] : [name])),
    unknown: ledger.flatMap(({ name }) => (known.has(name) ? [] : [name])),
    changed: ledger.flatMap(({ name, checksum }) => (known.has(name) && known.get(name) !== checksum ? [name] : [])),
  };
}
