import { describe, expect, it } from '@jest/globals';
import { readOptions } from './options.js';

describe('the options of the fault runner', () => {
  it('are everything, by a chance of its own, if none are given', () => {
    const options = readOptions([]);
    expect(options).toMatchObject({ rows: undefined, stacks: undefined, core: false, list: false, jobs: 5 });
    expect(options.seed).toBeGreaterThan(0);
  });

  it('--only chooses rows, --stack stacks, --seed the chance, as one word or two', () => {
    const options = readOptions(['--only', '7,16', '--stack=embedded,postgres-redis', '--seed', '42', '--jobs=2']);
    expect(options).toMatchObject({ rows: [7, 16], stacks: ['embedded', 'postgres-redis'], seed: 42, jobs: 2 });
  });

  it.each([
    [['--only', 'seven'], '--only: "seven" is not a whole number'],
    [['--only', ''], '--only: "" is not a whole number'],
    [['--seed'], '--seed: "" is not a whole number'],
    [['--seed=-1'], '--seed: "-1" is not a whole number'],
    [['--stack', 'oracle'], '--stack: "oracle" is none of embedded, postgres-redis, mariadb-redis, mysql-redis'],
    [['--onyl', '7'], '--onyl is not known'],
  ])('%j is refused, and it says why', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
