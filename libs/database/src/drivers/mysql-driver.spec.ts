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
  const driver = () =>
    new MySqlDriver({ ...on('the pool'), getConnection: () => Promise.resolve(on('a connection')) } as unknown as Pool);
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
    expect(events.slice(-3)).toEqual(['a connection is given back', 'the pool asks read', 'the pool hears of read']);
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
