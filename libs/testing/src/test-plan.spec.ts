import { describe, expect, it } from '@jest/globals';
import { planStacks, readArguments } from './test-plan.js';

const everything = { redis: true, mariadb: true, mysql: true };

describe('what npm test runs', () => {
  it('is every suite, and what it does not know goes to jest', () => {
    expect(readArguments([])).toEqual({ suites: ['unit', 'integration', 'e2e', 'faults'], forJest: [] });
    expect(readArguments(['--only', 'unit', 'runs', '-t', 'a=b'])).toEqual({
      suites: ['unit'],
      forJest: ['runs', '-t', 'a=b'],
    });
    expect(readArguments(['--only=unit,e2e', '--', 'x']).suites).toEqual(['unit', 'e2e']);
    expect(() => readArguments(['--only', 'fast'])).toThrow('--only: "fast" is none of unit, integration, e2e, faults');
  });

  it('covers every stack whose servers are there, and says which are not', () => {
    expect(planStacks(undefined, everything)).toEqual({
      covered: ['embedded', 'postgres-redis', 'mariadb-redis', 'mysql-redis'],
      missing: [],
      servers: ['redis', 'mariadb', 'mysql'],
    });
    expect(planStacks('', { redis: false, mariadb: true, mysql: true })).toEqual({
      covered: ['embedded'],
      missing: [
        'postgres-redis NOT covered: redis-server not found (apt-get install redis-server)',
        'mariadb-redis NOT covered: redis-server not found (apt-get install redis-server)',
        'mysql-redis NOT covered: redis-server not found (apt-get install redis-server)',
      ],
      servers: [],
    });
  });

  it('insists on MySQL itself only where it is asked for by its name', () => {
    const packaged = { redis: true, mariadb: true, mysql: false };
    expect(planStacks('all', packaged)).toMatchObject({
      covered: ['embedded', 'postgres-redis', 'mariadb-redis'],
      missing: [expect.stringContaining('mysql-redis NOT covered: mysqld not found')],
    });
    expect(() => planStacks('mysql-redis', packaged)).toThrow('MYSQLD can say where it is');
  });

  it('makes a stack that was asked for and cannot run an error', () => {
    expect(() => planStacks('all', { redis: true, mariadb: false, mysql: true })).toThrow(
      'mariadb-redis NOT covered: mariadbd not found (apt-get install mariadb-server)',
    );
    expect(() => planStacks('postgres-redis', { redis: false, mariadb: true, mysql: true })).toThrow(
      'postgres-redis NOT covered',
    );
    expect(planStacks('embedded', { redis: false, mariadb: false, mysql: false })).toMatchObject({
      covered: ['embedded'],
      missing: [],
    });
    expect(() => planStacks('oracle', everything)).toThrow(
      '"oracle" is none of embedded, postgres-redis, mariadb-redis, mysql-redis',
    );
  });
});
