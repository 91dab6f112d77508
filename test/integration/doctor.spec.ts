import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseClock } from '#database';
import type { Platform } from '#pipeline';
import { openStack, type Stack } from '#testing';
import type { Finding } from '../../apps/doctor/src/finding.js';
import { examineSurroundings } from '../../apps/doctor/src/surroundings.js';
import { readyPlatform } from '../support/product.js';

describe('the doctor, of what is around the runs', () => {
  let stack: Stack;
  let platform: Platform;

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  async function examine(settings: object = {}): Promise<Finding[]> {
    const { database, config } = platform;
    const clock = new DatabaseClock(database);
    return (await examineSurroundings({ ...config, ...settings }, stack.databaseUrl, database, clock)).findings;
  }
  const wrongIn = (findings: Finding[]) => findings.filter(({ level }) => level === 'wrong');
  const saysOf = (findings: Finding[], about: string) =>
    findings.filter((finding) => finding.about === about).map(({ says }) => says);

  it('finds nothing wrong with servers and tables that are as they should be', async () => {
    const findings = await examine();
    expect(wrongIn(findings)).toEqual([]);
    const database = { 'mariadb-redis': /^MariaDB \d/, 'mysql-redis': /^MySQL \d/ }[stack.name as string];
    expect(saysOf(findings, 'versions')[1]).toMatch(database ?? /^PostgreSQL \d/);
    expect(saysOf(findings, 'migrations')).toEqual([expect.stringMatching(/^all \d+ are applied$/)]);
    expect(saysOf(findings, 'indexes')).toEqual([expect.stringMatching(/^all \d+ are there$/)]);
    expect(saysOf(findings, 'clock')).toHaveLength(1);
    if (stack.redisUrl) expect(saysOf(findings, 'Redis')).toContain('maxmemory-policy noeviction');
    else expect(saysOf(findings, 'queue')).toHaveLength(1);
  });

  it('names an index that is missing, with the statement that makes it', async () => {
    const { client, dialect } = platform.database;
    const name = 'task_runs_tenant_id_attention_id_idx';
    await client.$executeRawUnsafe(
      dialect === 'mysql' ? `ALTER TABLE task_runs DROP INDEX ${name}` : `DROP INDEX "${name}"`,
    );
    const [finding, ...others] = wrongIn(await examine());
    expect([finding.says, others]).toEqual([`${name} is missing`, []]);
    await client.$executeRawUnsafe(finding.todo ?? '');
    expect(wrongIn(await examine())).toEqual([]);
  });

  it('tells of migrations that are missing, edited, or of a newer version', async () => {
    const { client } = platform.database;
    const [first] = await client.$queryRawUnsafe<{ migration_name: string; checksum: string }[]>(
      'SELECT migration_name, checksum FROM _prisma_migrations ORDER BY migration_name LIMIT 1',
    );
    const set = (column: string, value: string, name: string) =>
      client.$executeRawUnsafe(`UPDATE _prisma_migrations SET ${column} = '${value}' WHERE migration_name = '${name}'`);
    await set('checksum', 'x', first.migration_name);
    expect(saysOf(wrongIn(await examine()), 'migrations')).toEqual([
      `applied with another text: ${first.migration_name}`,
    ]);
    await set('checksum', first.checksum, first.migration_name);
    await set('migration_name', '99990101000000_later', first.migration_name);
    const findings = saysOf(await examine(), 'migrations');
    expect(findings).toEqual([
      `not applied yet: ${first.migration_name}`,
      'applied by a newer version: 99990101000000_later',
    ]);
    await set('migration_name', first.migration_name, '99990101000000_later');
    expect(wrongIn(await examine())).toEqual([]);
  });

  it('says that Redis does not answer, without its password', async () => {
    const findings = await examine({ redisUrl: 'redis://:hunter2@127.0.0.1:9' });
    expect(saysOf(wrongIn(findings), 'Redis')).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });
});
