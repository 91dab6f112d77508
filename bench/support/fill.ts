import { migrate } from '#database';
import mariadb from 'mariadb';
import pg from 'pg';

/** How many tasks are due in each second of the range they are spread over. */
export const DUE_PER_SECOND = 100;

export interface Filled {
  url: string;
  tasks: number;
  /** The first due second, in epoch seconds. */
  base: number;
}

/**
 * A database with that many enabled tasks, written by the server itself, 100 of them due in every second from `base` on.
 * Which ones is spread over the table: neighbours in time are not neighbours on disk.
 */
export async function fill(url: string, tasks: number): Promise<Filled> {
  await migrate(url);
  const base = Math.ceil(Date.now() / 1000 / 3600) * 3600 + 3600;
  const statements = url.startsWith('mysql') ? mySql(tasks, base) : postgres(tasks, base);
  await execute(url, statements);
  return { url, tasks, base };
}

const COLUMNS = `name, live_name, category, cron_expr, cron_source, type, target_url, body_template, retry_policy_json,
  max_concurrency, created_at, updated_at`;

interface Arithmetic {
  divide: (a: string, b: number) => string;
  text: (number: string) => string;
  join: (...parts: string[]) => string;
}

const POSTGRES: Arithmetic = {
  divide: (a, b) => `(${a}) / ${b}`,
  text: (number) => `(${number})::text`,
  join: (...parts) => parts.join(' || '),
};

const MYSQL: Arithmetic = {
  divide: (a, b) => `(${a}) DIV ${b}`,
  text: (number) => `CAST(${number} AS CHAR)`,
  join: (...parts) => `CONCAT(${parts.join(', ')})`,
};

/** Seconds until the task's turn: a step that has no common divisor with the range scatters them evenly. */
function turnOf(i: string, tasks: number, { divide }: Arithmetic): string {
  const range = tasks / DUE_PER_SECOND;
  return `((${i}) * 7 + ${divide(i, range)}) % ${range}`;
}

/** Every task fires again after a whole turn of the range, or a day later when that is longer than anybody waits. */
function cronOf(second: string, tasks: number, { divide, text, join }: Arithmetic): string {
  const range = tasks / DUE_PER_SECOND;
  if (range <= 30) return join(text(`(${second}) % ${range}`), `'-59/${range} * * * * *'`);
  const at = (divisor: number, size: number) => text(`(${divide(second, divisor)}) % ${size}`);
  return join(at(1, 60), "' '", at(60, 60), "' '", at(3600, 24), "' * * *'");
}

function postgres(tasks: number, base: number): string[] {
  const turn = turnOf('i - 1', tasks, POSTGRES);
  const cron = cronOf(`${base}::bigint + turn`, tasks, POSTGRES);
  return [
    `INSERT INTO tasks (${COLUMNS})
      SELECT name, name, 'team-' || (i % 50), cron, cron, 'cron', 'http://127.0.0.1:9/', '{"run":"{{run_id}}"}', '{"strategy":"none"}',
        0, now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC'
      FROM (SELECT i, 'task-' || i AS name, ${cron} AS cron
        FROM (SELECT i, (${turn})::bigint AS turn FROM generate_series(1, ${tasks}) AS i) AS turns) AS rows ORDER BY i`,
    `INSERT INTO task_states (task_id, next_fire_at)
      SELECT id, to_timestamp(${base} + ${turnOf('id - 1', tasks, POSTGRES)}) AT TIME ZONE 'UTC' FROM tasks ORDER BY id`,
    `INSERT INTO task_tags (tenant_id, tag, task_id, position) SELECT 'default', 'tenth', id, 0 FROM tasks WHERE id % 10 = 0`,
    'VACUUM ANALYZE',
    'CHECKPOINT',
  ];
}

function mySql(tasks: number, base: number): string[] {
  const turn = turnOf('seq - 1', tasks, MYSQL);
  const cron = cronOf(`${base} + turn`, tasks, MYSQL);
  return [
    `INSERT INTO tasks (${COLUMNS})
      SELECT name, name, CONCAT('team-', seq % 50), cron, cron, 'cron', 'http://127.0.0.1:9/', '{"run":"{{run_id}}"}',
        '{"strategy":"none"}', 0, UTC_TIMESTAMP(), UTC_TIMESTAMP()
      FROM (SELECT seq, CONCAT('task-', seq) AS name, ${cron} AS cron
        FROM (SELECT seq, ${turn} AS turn FROM seq_1_to_${tasks}) AS turns) AS given`,
    `INSERT INTO task_states (task_id, next_fire_at)
      SELECT id, FROM_UNIXTIME(${base} + ${turnOf('id - 1', tasks, MYSQL)}) FROM tasks ORDER BY id`,
    `INSERT INTO task_tags (tenant_id, tag, task_id, position) SELECT 'default', 'tenth', id, 0 FROM tasks WHERE id % 10 = 0`,
    'ANALYZE TABLE tasks, task_states, task_tags',
  ];
}

/** Without the product's limit on how long a statement may take. */
export async function execute(url: string, statements: readonly string[]): Promise<void> {
  const run = url.startsWith('mysql') ? await mySqlSession(url) : await postgresSession(url);
  try {
    for (const statement of statements) await run.query(statement);
  } finally {
    await run.end();
  }
}

async function postgresSession(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { query: (text: string) => client.query(text), end: () => client.end() };
}

async function mySqlSession(url: string) {
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  const address = { host, port: Number(port), user, password, database: pathname.slice(1) };
  const connection = await mariadb.createConnection({ ...address, initSql: "SET time_zone = '+00:00'" });
  return { query: (text: string) => connection.query(text), end: () => connection.end() };
}
