import { describe, expect, it } from '@jest/globals';
import type { SecretBox } from '#config';
import type { Database } from '#database';
import { cronRunId } from '#domain';
import { DefinitionCache } from './definition-cache.js';

const runOf = (task: bigint) => cronRunId(1_800_000_000, task);

/** A database whose queries are answered by hand, in any order. */
class SlowDatabase {
  readonly asked: { ids: bigint[]; answer(): void; refuse(): void }[] = [];

  readonly driver = {
    rows: (_: unknown, list: string) =>
      new Promise((resolve, reject) => {
        const ids = (JSON.parse(list) as string[]).map(BigInt);
        const rows = ids.map((id) => ({ id, executor: 'HTTP', target_url: `http://host-${id}/` }));
        this.asked.push({
          ids,
          answer: () => resolve(rows),
          refuse: () => reject(new Error('the database is away')),
        });
      }),
  };

  get cache(): DefinitionCache {
    return new DefinitionCache(this as unknown as Database, {} as SecretBox);
  }
}

const aMoment = () => new Promise((resolve) => setImmediate(resolve));

describe('tasks that become known before their runs are claimed', () => {
  it('are read once, whoever asks meanwhile, and those who asked first go first', async () => {
    const database = new SlowDatabase();
    const cache = database.cache;
    const order: string[] = [];
    const asks = ['first', 'second', 'third'].map((name) =>
      cache.learn([runOf(7n)]).then(() => order.push(`${name} ${cache.hostOf(runOf(7n))}`)),
    );
    await aMoment();
    database.asked[0].answer();
    await Promise.all(asks);
    expect(order).toEqual(['first host-7', 'second host-7', 'third host-7']);
    expect(database.asked).toHaveLength(1);
  });

  it('are read together when they were asked for during another read', async () => {
    const database = new SlowDatabase();
    const cache = database.cache;
    const asks = [1n, 2n, 3n, 2n].map((task) => cache.learn([runOf(task)]));
    await aMoment();
    expect(database.asked.map(({ ids }) => ids)).toEqual([[1n, 2n, 3n]]);
    asks.push(cache.learn([runOf(4n)]), cache.learn([runOf(1n), runOf(5n)]));
    database.asked[0].answer();
    await aMoment();
    expect(database.asked.map(({ ids }) => ids)).toEqual([
      [1n, 2n, 3n],
      [4n, 5n],
    ]);
    database.asked[1].answer();
    await Promise.all(asks);
  });

  it('can be asked for again after a read that failed', async () => {
    const database = new SlowDatabase();
    const cache = database.cache;
    const first = cache.learn([runOf(7n)]);
    await aMoment();
    database.asked[0].refuse();
    await expect(first).rejects.toThrow('away');
    const again = cache.learn([runOf(7n)]);
    await aMoment();
    database.asked[1].answer();
    await again;
    expect(cache.hostOf(runOf(7n))).toBe('host-7');
  });
});
