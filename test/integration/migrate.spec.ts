import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, migrate, MigrationError, openDatabase } from '#database';
import { openStack, type Stack } from '#testing';

interface LedgerRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

describe('migrations', () => {
  let stack: Stack;
  let database: Database;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'punctual-migrations-'));

  beforeAll(async () => {
    stack = await openStack();
    database = openDatabase({ url: stack.databaseUrl, poolSize: 2, timeoutMs: 10_000 });
  });

  afterAll(async () => {
    await database?.close();
    await stack?.close();
    fs.rmSync(folder, { recursive: true });
  });

  const ledger = () =>
    database.client.$queryRawUnsafe<LedgerRow[]>(
      'SELECT migration_name, checksum, finished_at FROM _prisma_migrations ORDER BY migration_name',
    );
  const write = (name: string, script: string) => {
    fs.mkdirSync(path.join(folder, name), { recursive: true });
    fs.writeFileSync(path.join(folder, name, 'migration.sql'), script);
  };

  it('any number of processes may start at once: each migration is applied once, and recorded as Prisma records it', async () => {
    const applied = await Promise.all(Array.from({ length: 6 }, () => migrate(stack.databaseUrl)));
    const source = path.resolve('prisma', database.dialect, 'migrations');
    const names = fs.readdirSync(source).filter((name) => !name.endsWith('.toml'));
    expect(applied.flat().sort()).toEqual(names.sort());
    const rows = await ledger();
    expect(rows.map((row) => row.migration_name)).toEqual(names);
    for (const { migration_name, checksum, finished_at } of rows) {
      const script = fs.readFileSync(path.join(source, migration_name, 'migration.sql'));
      expect(checksum).toBe(createHash('sha256').update(script).digest('hex'));
      expect(finished_at).not.toBeNull();
    }
    expect(await migrate(stack.databaseUrl)).toEqual([]);
  });

  it('one that fails stops the start and says which it was', async () => {
    write('20990101000000_good', 'CREATE TABLE fine (id INT);');
    write('20990102000000_bad', 'CREATE TABLE twice (id INT); CREATE TABLE twice (id INT);');
    write('20990103000000_later', 'CREATE TABLE later (id INT);');
    const failed = migrate(stack.databaseUrl, folder);
    await expect(failed).rejects.toThrow(MigrationError);
    await expect(failed).rejects.toThrow(/20990102000000_bad failed: .*twice/);
    const names = (await ledger()).filter((row) => row.finished_at !== null).map((row) => row.migration_name);
    expect(names).toContain('20990101000000_good');
    expect(names).not.toContain('20990103000000_later');
  });

  it('after a failure PostgreSQL, which kept nothing of it, tries again; MySQL, which kept half, asks for a person', async () => {
    write('20990102000000_bad', 'CREATE TABLE mended (id INT);');
    const again = migrate(stack.databaseUrl, folder);
    if (database.dialect === 'mysql') await expect(again).rejects.toThrow(/20990102000000_bad failed: .*half done/);
    else expect(await again).toEqual(['20990102000000_bad', '20990103000000_later']);
  });
});
