import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '#database';
import type { Logger } from 'pino';
import { CallbackAddress, tellAddress } from './callback-address.js';

const log = { warn: () => undefined } as unknown as Logger;
const HERE = { publicUrl: null, host: '0.0.0.0', port: 3000 };

describe('the address for callbacks', () => {
  let kept: string | null;
  let isAway: boolean;
  let statements: number;
  const answer = <Result>(result: () => Result): Promise<Result> => {
    statements++;
    return isAway ? Promise.reject(new Error('away')) : Promise.resolve(result());
  };
  const driver = {
    rows: () => answer(() => (kept === null ? [] : [{ public_url: kept }])),
    run: (_statement: unknown, url: string) => answer(() => ((kept = url), 1)),
  };
  const database = { driver, dialect: 'postgresql' } as unknown as Database;

  beforeEach(() => {
    jest.useFakeTimers();
    [kept, isAway, statements] = ['https://jobs.example.com', false, 0];
  });

  afterEach(() => void jest.useRealTimers());

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('is asked for once by all who need it, and again after five seconds', async () => {
    const address = new CallbackAddress(database, HERE, log);
    expect(await Promise.all([address.base(), address.base()])).toEqual([kept, kept]);
    await pass(4_900);
    await address.base();
    expect(statements).toBe(1);
    await pass(200);
    kept = 'https://new.example.com';
    expect(await address.base()).toBe('https://new.example.com');
    expect(statements).toBe(2);
  });

  it('stays as it was while the database is away', async () => {
    const address = new CallbackAddress(database, HERE, log);
    await address.base();
    isAway = true;
    await pass(60_000);
    expect(await address.base()).toBe('https://jobs.example.com');
  });

  it('is waited for when it is not known yet', async () => {
    isAway = true;
    const asked = new CallbackAddress(database, HERE, log).base();
    await pass(2_000);
    isAway = false;
    await pass(500);
    expect(await asked).toBe('https://jobs.example.com');
  });

  it('is this machine’s where no API has said anything', async () => {
    kept = null;
    expect(await new CallbackAddress(database, HERE, log).base()).toBe('http://127.0.0.1:3000');
  });

  it('is not asked for by a worker that has a PUBLIC_URL', async () => {
    const address = new CallbackAddress(database, { ...HERE, publicUrl: 'https://near.example.com/' }, log);
    expect(await address.base()).toBe('https://near.example.com');
    expect(statements).toBe(0);
  });

  it('is told by the API until it is written, with the port it listens on', async () => {
    isAway = true;
    const telling = tellAddress({ database, config: { ...HERE, host: '10.0.0.5', port: 0 }, log }, 3100);
    await pass(1_200);
    isAway = false;
    await pass(500);
    await telling;
    expect(kept).toBe('http://10.0.0.5:3100');
  });

  it('is not told any more by an API that stops', async () => {
    isAway = true;
    const stopping = new AbortController();
    const telling = tellAddress({ database, config: HERE, log }, 3000, stopping.signal);
    const ended = expect(telling).rejects.toThrow(/abort/);
    await pass(100);
    stopping.abort();
    await ended;
  });
});
