import type { LookupAddress } from 'node:dns';
import { describe, expect, it, jest } from '@jest/globals';
import { lookupsPerDomain, type ResolveAll, SharedLookups } from './shared-lookups.js';

const ADDRESS: LookupAddress[] = [{ address: '192.0.2.1', family: 4 }];

/** Lookups that are answered by hand. */
function byHand() {
  const asked = new Map<string, (addresses?: LookupAddress[]) => void>();
  const resolve: ResolveAll = (hostname, callback) => {
    asked.set(hostname, (addresses) => {
      asked.delete(hostname);
      if (addresses) callback(null, addresses);
      else callback(Object.assign(new Error('nobody knows it'), { code: 'ENOTFOUND' }), []);
    });
  };
  return { asked, lookups: new SharedLookups(resolve, 4) };
}

describe('lookups', () => {
  it('of one name at once are one, and each is told', () => {
    const { asked, lookups } = byHand();
    const told = [jest.fn(), jest.fn()];
    for (const one of told) lookups.lookup('a.example', one);
    asked.get('a.example')?.(ADDRESS);
    for (const one of told) expect(one.mock.calls).toEqual([[null, ADDRESS]]);
  });

  it('of one name one after the other are asked for each time: an answer is not kept', () => {
    const { asked, lookups } = byHand();
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      const told = jest.fn();
      lookups.lookup('a.example', told);
      asked.get('a.example')?.([{ address, family: 4 }]);
      expect(told).toHaveBeenCalledWith(null, [{ address, family: 4 }]);
    }
  });

  it('of a domain that does not answer leave the threads to others', () => {
    const { asked, lookups } = byHand();
    for (let i = 0; i < 50; i++) lookups.lookup(`n${i}.slow.example`, jest.fn());
    lookups.lookup('slow.example', jest.fn());
    lookups.lookup('good.test', jest.fn());
    lookups.lookup('billing', jest.fn());
    expect([...asked.keys()]).toEqual([...[0, 1, 2, 3].map((i) => `n${i}.slow.example`), 'good.test', 'billing']);
  });

  it('that waited in line go on when one is over, however it ended, and nothing is left behind', () => {
    const { asked, lookups } = byHand();
    const told = jest.fn();
    for (let i = 0; i < 10; i++) lookups.lookup(`n${i}.Slow.example.`, told);
    while (asked.size > 0) {
      expect(asked.size).toBeLessThanOrEqual(4);
      [...asked.values()][0](asked.size % 2 === 0 ? ADDRESS : undefined);
    }
    expect(told).toHaveBeenCalledTimes(10);
    expect(lookups['domains'].size + lookups['asking'].size).toBe(0);
  });

  it.each([
    [undefined, 1],
    ['nonsense', 1],
    ['4', 1],
    ['64', 4],
  ])('of one domain leave most threads to others where there are %s', (threads, most) => {
    expect(lookupsPerDomain(threads)).toBe(most);
  });
});
