import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Statement } from '../../libs/database/src/sql.js';
import { ANY_DUE_TASK, CLAIM_DUE_TASKS, NEXT_CROWD } from '../../libs/database/src/sql/claim-due-tasks.js';
import type { Platform } from '#pipeline';
import { openStack, type Stack } from '#testing';
import { readyPlatform } from '../support/product.js';

const TASKS = 20_000;
const DUE = '2026-01-05 10:00:30.000';
const LATER = '2026-01-05 10:01:00.000';

const INSERT_TASKS: Statement = {
  postgresql: `INSERT INTO tasks (name, live_name, cron_expr, cron_source, type, target_url, retry_policy_json, created_at, updated_at)
    SELECT 'plan-' || n, 'plan-' || n, '0 0 * * * *', '0 0 * * * *', 'cron', 'http://127.0.0.1:9/', '{"strategy":"none"}', now(), now()
    FROM generate_series(1, ${TASKS}) AS n`,
  mysql: `INSERT INTO tasks (name, live_name, cron_expr, cron_source, type, target_url, retry_policy_json, created_at, updated_at)
    SELECT concat('plan-', n), concat('plan-', n), '0 0 * * * *', '0 0 * * * *', 'cron', 'http://127.0.0.1:9/', '{"strategy":"none"}', now(), now()
    FROM (WITH RECURSIVE digits AS (SELECT 0 AS d UNION ALL SELECT d + 1 FROM digits WHERE d < 99)
      SELECT a.d * 100 + b.d + c.d * 10000 AS n FROM digits a JOIN digits b JOIN (SELECT 0 AS d UNION SELECT 1) c) AS numbers
    WHERE n < ${TASKS}`,
};

/** One due every tenth of a second: a few hundred are due by then, all others later. */
const INSERT_STATES: Statement = {
  postgresql: `INSERT INTO task_states (task_id, next_fire_at)
    SELECT id, timestamp '2026-01-05 10:00:00' + (id % ${TASKS}) * interval '100 milliseconds' FROM tasks`,
  mysql: `INSERT INTO task_states (task_id, next_fire_at)
    SELECT id, timestamp'2026-01-05 10:00:00' + INTERVAL (id % ${TASKS}) * 100000 MICROSECOND FROM tasks`,
};

const ANALYZE: Statement = { postgresql: 'ANALYZE tasks, task_states', mysql: 'ANALYZE TABLE tasks, task_states' };

const explained = ({ postgresql, mysql }: Statement): Statement => ({
  postgresql: `EXPLAIN (FORMAT JSON) ${postgresql}`,
  mysql: `EXPLAIN ${mysql}`,
});

/** How a table is reached: by which index. */
type Access = Record<string, string>;

describe(`the tick's claim among ${TASKS} tasks`, () => {
  let stack: Stack;
  let platform: Platform;

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
    const { driver } = platform.database;
    await driver.run(INSERT_TASKS);
    await driver.run(INSERT_STATES);
    await driver.rows(ANALYZE);
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  const accessOf = async (statement: Statement, ...values: unknown[]): Promise<Access> => {
    const { driver, dialect } = platform.database;
    const rows = await driver.rows<Record<string, unknown>>(explained(statement), ...values);
    return dialect === 'postgresql' ? postgresAccess(rows) : mySqlAccess(rows);
  };

  it('walks the index on next_fire_at and looks definitions up by their primary key', async () => {
    const postgres = { task_states: 'task_states_next_fire_at_idx', tasks: 'tasks_pkey' };
    const mysql = { s: 'task_states_next_fire_at_idx', t: 'PRIMARY' };
    const access = await accessOf(CLAIM_DUE_TASKS, DUE, 500);
    expect(access).toEqual(platform.database.dialect === 'postgresql' ? postgres : mysql);
  });

  it('asks the same index whether something is left behind', async () => {
    const access = await accessOf(ANY_DUE_TASK, DUE, '[]');
    expect(Object.values(access)).toContain('task_states_next_fire_at_idx');
    expect(Object.keys(access)).not.toContain('tasks');
  });

  it('asks the same index, and nothing else, whether a crowd is coming', async () => {
    const access = await accessOf(NEXT_CROWD, DUE, LATER, 100);
    expect(Object.values(access)).toEqual(['task_states_next_fire_at_idx']);
  });

  it('takes what is due, oldest first, and no more than it is asked for', async () => {
    const { driver } = platform.database;
    const rows = await driver.rows<{ next_fire_at: Date }>(CLAIM_DUE_TASKS, DUE, 500);
    const times = rows.map((row) => row.next_fire_at.getTime());
    expect(times).toHaveLength(301);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(await driver.rows(CLAIM_DUE_TASKS, DUE, 100)).toHaveLength(100);
  });
});

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

function postgresAccess(rows: Record<string, unknown>[]): Access {
  const [{ Plan: root }] = rows[0]['QUERY PLAN'] as { Plan: PlanNode }[];
  const nodes: PlanNode[] = [];
  const walk = (node: PlanNode) => {
    nodes.push(node);
    node.Plans?.forEach(walk);
  };
  walk(root);
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
  const tables = nodes.filter((node) => node['Relation Name'] !== undefined);
  return Object.fromEntries(tables.map((node) => [node['Relation Name'], node['Index Name'] ?? node['Node Type']]));
}

function mySqlAccess(rows: Record<string, unknown>[]): Access {
  for (const { Extra } of rows) {
    // What came as JSON is a temporary table to MySQL.
    const read = ((Extra as string | null) ?? '').replace('Table function: json_table; Using temporary', '');
    expect(read).not.toMatch(/filesort|temporary/i);
  }
  return Object.fromEntries(rows.map((row) => [row.table as string, (row.key ?? row.type) as string]));
}
