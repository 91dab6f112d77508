import { describe, expect, it } from '@jest/globals';
import type { SkipReason } from '#domain';
import type { Sql } from '../sql.js';
import { blockersOf } from './blockers-of.js';

const admitted = (id: string, taskId: bigint) => ({ id, taskId, status: 'SCHEDULED' as const, skipReason: null });
const skipped = (id: string, taskId: bigint, skipReason: SkipReason) => ({
  ...{ id, taskId, skipReason },
  status: 'SKIPPED' as const,
});

/** A database that knows these blockers, and counts how often it is asked. */
function asking(stored: Record<string, string | null> = {}) {
  const asked: string[] = [];
  const rows = (_statement: unknown, _before: string, ids: string) => {
    asked.push(ids);
    return Promise.resolve(Object.entries(stored).map(([id, run]) => ({ task_id: BigInt(id), id: run })));
  };
  return { asked, sql: { rows } as unknown as Sql };
}

describe('the runs that stand in the way', () => {
  it('are not asked for when nothing is skipped because of another run', async () => {
    const { sql, asked } = asking();
    const runs = [admitted('a', 1n), skipped('b', 2n, 'MISSED'), skipped('c', 3n, 'LATE')];
    expect(await blockersOf(sql, runs, 0)).toEqual(new Map());
    expect(asked).toEqual([]);
  });

  it('are asked for once, and come from the database, else from the runs themselves', async () => {
    const { sql, asked } = asking({ 1: 'old', 2: null, 3: null });
    const blocked = [skipped('x', 1n, 'OVERLAP'), skipped('y', 2n, 'QUEUE_FULL'), skipped('z', 3n, 'CONCURRENCY')];
    const runs = [admitted('a', 1n), admitted('b', 2n), ...blocked, skipped('w', 1n, 'OVERLAP')];
    const expected = { x: 'old', w: 'old', y: 'b' };
    expect(Object.fromEntries(await blockersOf(sql, runs, 0))).toEqual(expected);
    expect(asked).toEqual(['["1","2","3"]']);
  });
});
