import { describe, expect, it } from '@jest/globals';
import { type Finding, findingLines } from '../finding.js';
import { checkClock } from './clock.js';
import { checkConfiguration } from './configuration.js';
import { checkRedis } from './redis.js';
import { checkIndexes, checkMigrations } from './schema.js';
import { checkDatabaseVersion, checkVersion } from './versions.js';

const levels = (findings: Finding[]) => findings.map(({ level }) => level);

describe('the doctor’s findings', () => {
  it('are a line each, with what to do below where something is to be done', () => {
    expect(findingLines({ level: 'ok', about: 'clock', says: 'fine' })).toEqual(['✓ clock: fine']);
    const lines = findingLines({ level: 'wrong', about: 'Redis', says: 'is full', todo: 'make room' });
    expect(lines).toEqual(['✗ Redis: is full', '  → make room']);
  });
});

describe('versions', () => {
  it.each([
    ['Node.js', '20.19.0', 'ok'],
    ['Node.js', '20.18.3', 'wrong'],
    ['Node.js', '24.0.0', 'ok'],
    ['Redis', '7.0.15', 'ok'],
    ['Redis', '6.0.16', 'wrong'],
    ['Redis', '', 'advice'],
  ] as const)('%s %s: %s', (product, version, level) => expect(checkVersion(product, version).level).toBe(level));

  it.each([
    ['PostgreSQL 18.4', 'ok'],
    ['PostgreSQL 13.2 (Debian 13.2-1)', 'wrong'],
    ['MariaDB 10.11.6-MariaDB-0+deb12u1', 'ok'],
    ['MariaDB 10.5.1-MariaDB', 'wrong'],
    ['MySQL 8.4.2', 'ok'],
    ['MySQL 5.7.44', 'wrong'],
    ['CockroachDB 24', 'advice'],
  ])('%s: %s', (said, level) => expect(checkDatabaseVersion(said).level).toBe(level));
});

describe('the clock', () => {
  it.each([
    [4, 'ok', 'this host is within 10 ms of the database'],
    [-300, 'ok', 'this host is 0.30 s ahead of the database'],
    [90_000, 'advice', 'this host is 90.00 s behind the database'],
  ])('%d ms: %s', (offset, level, says) => expect(checkClock(offset)).toMatchObject({ level, says }));
});

describe('the configuration', () => {
  const config = {
    databaseUrl: 'x',
    redisUrl: null,
    secretKeys: [{}],
    host: '127.0.0.1',
    publicUrl: null,
    shellExecutor: false,
  };
  const check = (fields: object, url = 'postgresql://h/d') =>
    levels(checkConfiguration({ ...config, ...fields } as never, url));

  it('is fine, or names each setting that is missing', () => {
    expect(check({})).toEqual(['ok']);
    expect(check({}, 'mysql://h/d')).toEqual(['wrong']);
    expect(check({ redisUrl: 'redis://h' }, 'mysql://h/d')).toEqual(['ok']);
    expect(check({ host: '0.0.0.0' })).toEqual(['advice']);
    expect(check({ host: '0.0.0.0', publicUrl: 'https://p' })).toEqual(['ok']);
    expect(check({ secretKeys: [] })).toEqual(['advice']);
    expect(check({ secretKeys: [], databaseUrl: null })).toEqual(['ok']);
  });
});

describe('Redis', () => {
  const facts = {
    version: '7.2',
    policy: 'noeviction',
    appendOnly: true,
    snapshots: true,
    usedBytes: 1e6,
    maxBytes: 0,
  };
  it.each([
    [{}, ['ok', 'ok', 'ok', 'ok']],
    [{ policy: 'allkeys-lru' }, ['ok', 'wrong', 'ok', 'ok']],
    [{ policy: '' }, ['ok', 'wrong', 'ok', 'ok']],
    [{ appendOnly: false }, ['ok', 'ok', 'advice', 'ok']],
    [{ appendOnly: false, snapshots: false }, ['ok', 'ok', 'advice', 'ok']],
    [{ maxBytes: 2e6 }, ['ok', 'ok', 'ok', 'ok']],
    [{ maxBytes: 1.1e6 }, ['ok', 'ok', 'ok', 'wrong']],
  ])('%j', (fields, expected) => expect(levels(checkRedis({ ...facts, ...fields }))).toEqual(expected));
});

describe('the tables', () => {
  const status = { applied: 3, missing: [], unfinished: [], unknown: [], changed: [] };
  it('have all migrations, or say what is to be done', () => {
    expect(checkMigrations(status)).toEqual([{ level: 'ok', about: 'migrations', says: 'all 3 are applied' }]);
    expect(levels(checkMigrations({ ...status, missing: ['b'] }))).toEqual(['wrong']);
    expect(levels(checkMigrations({ ...status, unfinished: ['b'], changed: ['a'] }))).toEqual(['wrong', 'wrong']);
    expect(levels(checkMigrations({ ...status, unknown: ['z'] }))).toEqual(['advice']);
  });

  it('have all indexes, or say how each is made', () => {
    const expected = [
      { name: 'a', statement: 'CREATE INDEX "a" ON "t"("x");' },
      { name: 'b', statement: '' },
    ];
    const found = (...indexes: [string, boolean][]) => checkIndexes(expected, new Map(indexes));
    expect(found(['a', true], ['b', true], ['other', false])).toMatchObject([{ level: 'ok', says: 'all 2 are there' }]);
    expect(found(['b', true])).toMatchObject([{ level: 'wrong', todo: 'CREATE INDEX "a" ON "t"("x");' }]);
    expect(found(['a', false], ['b', true])).toMatchObject([{ level: 'wrong', todo: 'REINDEX INDEX "a";' }]);
  });
});
