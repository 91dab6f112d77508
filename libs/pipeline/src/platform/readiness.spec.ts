import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Platform } from './open-platform.js';
import { ServerProbe } from './readiness.js';

describe('the readiness of a process', () => {
  let answers: () => Promise<unknown>;
  let asked: number;
  const said: string[] = [];
  const log = {
    warn: (_: object, line: string) => said.push(line),
    info: (line: string) => said.push(line),
  };
  const rows = () => (asked++, answers());
  const platform = {
    ...{ log, queue: { check: () => Promise.resolve() } },
    database: { driver: { rows } },
  } as unknown as Platform;

  beforeEach(() => {
    jest.useFakeTimers();
    [asked, said.length] = [0, 0];
    answers = () => Promise.resolve([]);
  });
  afterEach(() => void jest.useRealTimers());

  it('is looked at once a second at most, however many ask', async () => {
    const probe = new ServerProbe(platform);
    await Promise.all(Array.from({ length: 50 }, () => probe.look()));
    await probe.look();
    expect(asked).toBe(1);
    jest.advanceTimersByTime(1_001);
    expect(await probe.look()).toEqual({ ready: true, checks: { database: { ok: true }, queue: { ok: true } } });
    expect(asked).toBe(2);
  });

  it('says that a part is away in words of its own, and tells the log when that changes', async () => {
    const probe = new ServerProbe(platform);
    const database = async () => {
      const { checks } = await probe.look();
      jest.advanceTimersByTime(1_001);
      return checks.database;
    };
    answers = () => Promise.reject(new Error('password of "postgres" at 10.0.0.7 is wrong'));
    expect([await database(), await database()]).toEqual(Array(2).fill({ ok: false, error: 'not reachable' }));
    expect(said).toEqual(['not ready: the database is away']);
    answers = () => Promise.resolve([]);
    expect([await database(), await database()]).toEqual(Array(2).fill({ ok: true }));
    expect(said.slice(1)).toEqual(['the database is there again']);
  });

  it('does not wait for a part that does not answer', async () => {
    answers = () => new Promise(() => undefined);
    const looked = new ServerProbe(platform).look();
    await jest.advanceTimersByTimeAsync(1_500);
    expect((await looked).checks.database).toEqual({ ok: false, error: 'no answer in time' });
  });
});
