import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Statement } from '../../libs/database/src/sql.js';
import { stretchOfAlarms, TAKE_ALARMS } from '../../libs/database/src/sql/alarms.js';
import { CLAIM_RUNS, claimOnMySql } from '../../libs/database/src/sql/claim-runs.js';
import {
  EVERYDAY_COLUMNS,
  SETTLE_EVERYDAY,
  SETTLED_COLUMNS,
  settleAtOnceWith,
} from '../../libs/database/src/sql/settle-at-once.js';
import { SETTLE_RUNS } from '../../libs/database/src/sql/settle-runs.js';
import { claimRuns } from '#database';
import type { Platform } from '#pipeline';
import { openStack, type Stack } from '#testing';
import { readyPlatform } from '../support/product.js';

const [TASKS, RUNS] = [100, 10_000];
const NOW = '2026-01-05 10:00:00.000';

const INSERT_TASKS = `INSERT INTO tasks (name, live_name, type, target_url, retry_policy_json, created_at, updated_at)
  SELECT %s, 'on_demand', 'http://127.0.0.1:9/', '{"strategy":"none"}', '${NOW}', '${NOW}' FROM `;
const INSERT_RUNS = `INSERT INTO task_runs (id, task_id, task_name, \`trigger\`, status, scheduled_time, queued_at, wake_at, trace_id)
  SELECT %s, id, name, 'API', 'SCHEDULED', '${NOW}', '${NOW}', '${NOW}', repeat('0', 32) FROM tasks, `;
const numbers = {
  postgresql: (most: number) => `generate_series(1, ${most}) AS s(n)`,
  mysql: (most: number) =>
    `(WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < ${most}) SELECT n FROM s) AS s`,
};
const FILL: Statement[] = [
  {
    postgresql: INSERT_TASKS.replace('%s', "'plan-' || n, 'plan-' || n") + numbers.postgresql(TASKS),
    mysql: INSERT_TASKS.replace('%s', "concat('plan-', n), concat('plan-', n)") + numbers.mysql(TASKS),
  },
  {
    postgresql: 'INSERT INTO task_states (task_id) SELECT id FROM tasks',
    mysql: 'INSERT INTO task_states (task_id) SELECT id FROM tasks',
  },
  {
    postgresql: INSERT_RUNS.replaceAll('`', '"').replace('%s', "n || '-' || id") + numbers.postgresql(RUNS / TASKS),
    mysql: INSERT_RUNS.replace('%s', "concat(n, '-', id)") + numbers.mysql(RUNS / TASKS),
  },
  {
    postgresql: 'INSERT INTO run_alarms (at, run_id) SELECT scheduled_time, id FROM task_runs',
    mysql: 'INSERT INTO run_alarms (at, run_id) SELECT scheduled_time, id FROM task_runs',
  },
];

describe('on tables that the database has no statistics of yet', () => {
  let stack: Stack;
  let platform: Platform;

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
    for (const statement of FILL) await platform.database.driver.rows(statement);
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  const planOf = async ({ postgresql, mysql }: Statement, values: unknown[]): Promise<string> => {
    const explain = { postgresql: `EXPLAIN (FORMAT JSON) ${postgresql}`, mysql: `EXPLAIN FORMAT=JSON ${mysql}` };
    const rows = await platform.database.driver.rows(explain, ...values);
    return JSON.stringify(rows).replaceAll('\\', '');
  };
  /** What is said of each table: up to the next one. */
  const walksThrough = async (statement: Statement, ...values: unknown[]): Promise<string[]> => {
    // To MySQL a table that is only written to is one that is walked through.
    const plan = (await planOf(statement, values)).replaceAll(/"insert": true,[^}]*}/g, '');
    const parts = plan.split(/"(?:Relation Name|table_name)": ?"/).slice(1);
    // PostgreSQL goes back to alarms it has just found by where they lie, which is no look-up to it.
    const isOfRuns = (part: string) => (onPostgres() ? /^(task_runs|r|t)"/ : /^(task_runs|run_alarms|r|t)"/).test(part);
    const isLookUp = (part: string) => part.includes('"Index Cond"') || part.includes('"used_key_parts"');
    return parts.filter((part) => isOfRuns(part) && !isLookUp(part));
  };
  const indexesOf = async (statement: Statement, ...values: unknown[]): Promise<Set<string>> => {
    const plan = await planOf(statement, values);
    return new Set([...plan.matchAll(/"(?:Index Name|key)": ?"(\w+)"/g)].map(([, name]) => name));
  };
  const onPostgres = () => platform.database.dialect === 'postgresql';

  it('a claim finds its runs by their ids, and never by their tasks', async () => {
    if (onPostgres()) {
      const used = await indexesOf(CLAIM_RUNS, '1-1', 'x', 'node', NOW, NOW, NOW, NOW);
      return expect(used).toEqual(new Set(['task_runs_pkey', 'tasks_pkey']));
    }
    // From a thousand on MariaDB may make a subquery of such a list.
    const ids = Array.from({ length: 1_500 }, (_, i) => `${1 + (i % 50)}-${i + 1}`);
    const { take, read } = claimOnMySql(ids.length);
    expect(await indexesOf(take, 'claim', 'node', NOW, NOW, NOW, ...ids, NOW, NOW)).toEqual(new Set(['PRIMARY']));
    expect(await indexesOf(read, ...ids, 'claim')).toEqual(new Set(['PRIMARY']));
    expect(await walksThrough(take, 'claim', 'node', NOW, NOW, NOW, ...ids, NOW, NOW)).toEqual([]);
    expect(await walksThrough(read, ...ids, 'claim')).toEqual([]);
  });

  it('a claim gives every run an execution of its own, and takes none twice', async () => {
    const { database } = platform;
    const ids = Array.from({ length: 60 }, (_, i) => `2-${i + 1}`);
    const by = { node: 'node', now: Date.parse(`${NOW}Z`), leaseMs: 30_000 };
    const claimed = (await Promise.all([claimRuns(database, ids, by), claimRuns(database, ids, by)])).flat();
    expect(claimed.map((run) => run.id).sort()).toEqual([...ids].sort());
    const executions = new Set(claimed.map((run) => run.execId));
    expect(executions.size).toBe(ids.length);
    for (const execId of executions) expect(execId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await claimRuns(database, ids, by)).toEqual([]);
    expect(await claimRuns(database, [], by)).toEqual([]);
  });

  it('a settle finds its runs by their ids, and the states by those of their tasks', async () => {
    if (!onPostgres()) {
      const used = await indexesOf(SETTLE_RUNS, '[{"id":"1-1","exec_id":"x"}]');
      return expect(used).toEqual(new Set(['PRIMARY']));
    }
    const ways = [
      { sql: settleAtOnceWith({ heard: false, told: false }), columns: SETTLED_COLUMNS },
      { sql: SETTLE_EVERYDAY, columns: EVERYDAY_COLUMNS },
    ];
    for (const { sql, columns } of ways) {
      const used = await indexesOf({ ...SETTLE_RUNS, postgresql: sql }, ...columns.map(() => null));
      expect(used).toEqual(new Set(['task_runs_pkey', 'task_states_pkey']));
    }
  });

  it('rescue finds the runs of its alarms by their ids', async () => {
    const first = { run_id: '1-1', went_off: '2026-01-01 00:00:00.000' };
    const last = { run_id: '2-1', went_off: '2026-01-01 00:00:01.000' };
    const stretches = [stretchOfAlarms(first, last), stretchOfAlarms(first, { ...first, run_id: '2-1' })];
    const steps = onPostgres()
      ? [{ statement: TAKE_ALARMS, values: [NOW, 1_000] }]
      : stretches.flatMap(({ open, later, clear, values }) => [
          { statement: open, values: [NOW, ...values] },
          { statement: later, values: [...values, NOW] },
          { statement: clear, values },
        ]);
    for (const { statement, values } of steps) {
      expect(await indexesOf(statement, ...values)).toContain(onPostgres() ? 'task_runs_pkey' : 'PRIMARY');
      expect(await walksThrough(statement, ...values)).toEqual([]);
    }
  });
});
