import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { CaFile } from '#config';
import { type Dialect, dialectOf } from './dialect.js';
import { connectMySql } from './migrate/mysql.js';
import { connectPostgres } from './migrate/postgresql.js';
import type { MigrationSession } from './migrate/session.js';

/** A migration that did not go through stops the start: its name and what the database said. */
export class MigrationError extends Error {
  constructor(
    readonly migration: string,
    reason: string,
  ) {
    super(`migration ${migration} failed: ${reason}`);
  }
}

export interface Migration {
  name: string;
  script: string;
  checksum: string;
}

/**
 * Applies what is missing, in order, under a lock, so that any number of processes may start at once. The ledger is
 * Prisma's own (`_prisma_migrations`, same checksums): `prisma migrate` goes on from it for those who have its engine.
 */
export async function migrate(
  url: string,
  folder = migrationsFolder(dialectOf(url)),
  ca: CaFile | null = null,
): Promise<string[]> {
  const session = await openMigrationSession(url, ca);
  try {
    await session.lock();
    await session.createLedger();
    return await applyMissing(session, readFolder(folder));
  } finally {
    await session.close();
  }
}

async function applyMissing(session: MigrationSession, migrations: Migration[]): Promise<string[]> {
  const known = new Map((await session.applied()).map((row) => [row.name, row]));
  const unfinished = [...known.values()].find((row) => !row.finished);
  if (unfinished) {
    throw new MigrationError(
      unfinished.name,
      'an earlier start left it half done. Repair the tables, then set finished_at (done) or rolled_back_at (to try again) on its row in _prisma_migrations',
    );
  }
  const missing = migrations.filter(({ name }) => !known.has(name));
  for (const migration of missing) await applyOne(session, migration);
  return missing.map(({ name }) => name);
}

async function applyOne(session: MigrationSession, { name, script, checksum }: Migration): Promise<void> {
  const id = randomUUID();
  await session.begin(id, name, checksum);
  try {
    await session.apply(script);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await session.fail(id, reason).catch(() => undefined);
    throw new MigrationError(name, reason);
  }
  await session.finish(id);
}

/** What this version brings, in order. */
export const readMigrations = (url: string): Migration[] => readFolder(migrationsFolder(dialectOf(url)));

export function openMigrationSession(url: string, ca: CaFile | null): Promise<MigrationSession> {
  return dialectOf(url) === 'mysql' ? connectMySql(url, ca) : connectPostgres(url, ca);
}

function readFolder(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const script = readFileSync(path.join(folder, name, 'migration.sql'), 'utf8');
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
    });
}

/** The working directory of every process is the project's root. */
function migrationsFolder(dialect: Dialect): string {
  return path.resolve('prisma', dialect, 'migrations');
}
