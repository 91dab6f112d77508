import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'mariadb';
import type { Asked } from '../driver.js';
import { MySqlDriver } from './mysql-driver.js';

const asked = (mysql: string): Asked => ({ statement: { mysql, postgresql: '' }, values: [1] });

describe('one statement and then another, on MySQL', () => {
  /** What each statement is answered with in turn, and everything that happened. */
  let answers: Record<string, unknown[]>;
  let events: string[];

  beforeEach(() => {
    answers = { take: [{ affectedRows: 1 }], read: [[{ id: 'a' }]] };
    events = [];
  });

  const on = (where: string) => ({
    query: async (text: string) => {
      events.push(`${where} asks ${text}`);
      await new Promise(setImmediate);
      events.push(`${where} hears of ${text}`);
      const answer = answers[text].shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    release: () => Promise.resolve(events.push(`${where} is given back`)),
  });
  const driver = () => {
    const names = ['a connection', 'another one'];
    const getConnection = () => Promise.resolve(on(names.shift()!));
    return new MySqlDriver({ getConnection } as unknown as Pool, 10_000);
  };
  const both = () => driver().runThenRows(asked('take'), asked('read'));

  it('sends both before the first is answered, and gives the connection back when both are', async () => {
    expect(await both()).toEqual([{ id: 'a' }]);
    expect(events).toEqual([
      ...['a connection asks take', 'a connection asks read'],
      ...['a connection hears of take', 'a connection hears of read', 'a connection is given back'],
    ]);
  });

  it('asks the second again, elsewhere, when its answer is lost: the first stands', async () => {
    answers.read = [new Error('the connection is gone'), [{ id: 'b' }]];
    expect(await both()).toEqual([{ id: 'b' }]);
    expect(events.slice(-4)).toEqual([
      ...['a connection is given back', 'another one asks read'],
      ...['another one hears of read', 'another one is given back'],
    ]);
  });

  it('fails as the first does, whatever the second says', async () => {
    for (const second of [[], new Error('gone as well')]) {
      events = [];
      answers = { take: [new Error('a deadlock')], read: [second] };
      await expect(both()).rejects.toThrow('a deadlock');
      expect(events.slice(-2)).toEqual(['a connection hears of read', 'a connection is given back']);
    }
  });
});

describe('a statement that a server never answers, on MySQL', () => {
  it('ends with its connection, so that nobody waits for ever', async () => {
    let fail = (_: Error): void => undefined;
    const connection = {
      query: () => new Promise((_, reject) => (fail = reject)),
      destroy: () => fail(new Error('the connection is over')),
      rollback: () => Promise.reject(new Error('the connection is over')),
      release: () => Promise.resolve(),
    };
    const silent = new MySqlDriver({ getConnection: () => Promise.resolve(connection) } as unknown as Pool, 10);
    const statement = { mysql: 'SELECT 1', postgresql: '' };
    await expect(silent.rows(statement)).rejects.toThrow('the connection is over');
    await expect(silent.transaction((sql) => sql.run(statement))).rejects.toThrow('the connection is over');
  });
});
