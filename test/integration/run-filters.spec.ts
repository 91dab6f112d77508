import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listRuns, type RunListing } from '#database';
import type { Platform } from '#pipeline';
import { openStack, type Stack } from '#testing';
import type { Statement } from '../../libs/database/src/sql.js';
import { RUNS_BY_LABEL } from '../../libs/database/src/sql/runs-by-label.js';
import { readyPlatform } from '../support/product.js';

const RUNS = 20_000;
const START = 1_700_000_000;
const tenantId = 'default';

describe(`a list of runs by a label, among ${RUNS} runs without it`, () => {
  let stack: Stack;
  let platform: Platform;

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
    const { client, driver } = platform.database;
    const run = (n: number) => ({
      ...{ id: `${START + n}-1`, taskId: 1n, taskName: 'x', trigger: 'CRON', traceId: '' },
      ...{ status: 'SUCCESS', scheduledTime: new Date((START + n) * 1000), finishedAt: new Date() },
    });
    for (let at = 0; at < RUNS; at += 2_000) {
      await client.taskRun.createMany({ data: Array.from({ length: 2_000 }, (_, i) => run(at + i)) });
    }
    // The oldest of all, which a walk past the others would find last.
    const label = { taskId: 2n, category: 'rare', creator: 'kim', trigger: 'REPLAY' };
    const labelled = [-3, -2, -1].map((n) => ({ ...run(n), ...label, id: `${START + n}-2` }));
    await client.taskRun.createMany({
      data: [...labelled, { ...run(-4), ...label, id: `${START - 4}-2`, tenantId: 'other' }],
    });
    await client.taskRun.update({ where: { id: `${START - 2}-2` }, data: { creator: 'lee', status: 'FAILED' } });
    await driver.rows({ postgresql: 'ANALYZE task_runs', mysql: 'ANALYZE TABLE task_runs' });
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  const seconds = async (filter: Partial<RunListing>) => {
    const rows = await listRuns(platform.database, { tenantId, limit: 10, ...filter });
    return rows.map((run) => Number(run.id.slice(0, 10)) - START);
  };
  const at = (second: number) => new Date((START + second) * 1000);

  it.each<[Partial<RunListing>, number[]]>([
    [{ category: 'rare' }, [-1, -2, -3]],
    [{ creator: 'kim' }, [-1, -3]],
    [{ trigger: 'REPLAY' }, [-1, -2, -3]],
    [{ trigger: 'REPLAY', creator: 'lee' }, [-2]],
    [{ trigger: 'CRON', creator: 'lee' }, []],
    [{ category: 'rare', status: 'SUCCESS' }, [-1, -3]],
    [{ category: 'rare', status: 'FAILED' }, [-2]],
    [{ category: 'rare', limit: 2 }, [-1, -2]],
    [{ category: 'rare', before: `${START - 1}-2` }, [-2, -3]],
    [{ category: 'rare', from: new Date((START - 2) * 1000) }, [-1, -2]],
    [{ category: 'rare', to: new Date((START - 2) * 1000 - 1) }, [-3]],
    [{ category: 'rare', from: at(-2), to: at(-2) }, [-2]],
    [{ category: 'none' }, []],
    [{ trigger: 'BACKFILL' }, []],
    [{ trigger: 'CRON', limit: 2 }, [RUNS - 1, RUNS - 2]],
    [{ category: 'rare', tenantId: 'other' }, [-4]],
  ])('of %j brings those, newest first', async (filter, expected) => expect(await seconds(filter)).toEqual(expected));

  it.each([
    ['category', 'rare'],
    ['creator', 'kim'],
    ['trigger', 'REPLAY'],
  ] as const)('walks the index of the %s, also when it is asked often', async (label, value) => {
    const values = [tenantId, tenantId, value, value, '', '~', '1970-01-01 00:00:00', '9999-12-31 23:59:59'];
    for (let i = 0; i < 8; i++) {
      const key = await indexOf(RUNS_BY_LABEL[label], ...values, null, null, null, null, 50);
      expect(key).toBe(`task_runs_tenant_id_${label}_id_idx`);
    }
  });

  /** Which index the statement walks; it must not sort what it finds. */
  const indexOf = async ({ postgresql, mysql }: Statement, ...values: unknown[]): Promise<string> => {
    const explained = (EXPLAINED[postgresql] ??= {
      postgresql: `EXPLAIN (FORMAT JSON) ${postgresql}`,
      mysql: `EXPLAIN ${mysql}`,
    });
    const [row] = await platform.database.driver.rows<Explained>(explained, ...values);
    if (platform.database.dialect === 'mysql') {
      expect(row.Extra ?? '').not.toMatch(/filesort|temporary/i);
      return row.key!;
    }
    const walk = row['QUERY PLAN']![0].Plan.Plans![0];
    expect(walk['Node Type']).toMatch(/^Index (Only )?Scan$/);
    return walk['Index Name'];
  };
});

/** One object each, so that PostgreSQL sees the same prepared statement again and may settle on one plan for it. */
const EXPLAINED: Record<string, Statement> = {};

interface Explained {
  key?: string;
  Extra?: string;
  'QUERY PLAN'?: { Plan: { Plans?: { 'Node Type': string; 'Index Name': string }[] } }[];
}
