import { randomUUID } from 'node:crypto';
import { type Database, inSqlTransaction } from '#database';

export interface Taken {
  id: string;
  execId: string;
  /** ISO */
  at: string;
}

export interface Ended extends Taken {
  endedAt: Date;
  status: number;
  result: string;
  request: string;
  response: string;
}

const SEPARATOR = '\u001f';
const texts = (nth: number) => `string_to_array($${nth}::text, chr(31))`;
const sqlTime = (iso: string) => iso.slice(0, 23).replace('T', ' ');
const places = (count: number) => Array<string>(count).fill('?').join();

/** Runs that nobody has taken, of the second of that one or later: within a second ids do not sort by when they came. */
export async function newRuns({ driver }: Database, after: string): Promise<string[]> {
  const select = (place: string) =>
    `SELECT id FROM task_runs WHERE id >= ${place} AND status = 'SCHEDULED' ORDER BY id LIMIT 10000`;
  const rows = await driver.rows<{ id: string }>({ postgresql: select('$1'), mysql: select('?') }, after.slice(0, 10));
  return rows.map(({ id }) => id);
}

/** They are RUNNING from here on. Nobody else takes any, so it is not asked which these were. */
export async function takeRuns({ driver }: Database, ids: readonly string[]): Promise<Taken[]> {
  const at = new Date().toISOString();
  const execId = randomUUID();
  const set = (execution: string, time: string, lease: string) =>
    `status = 'RUNNING', exec_id = ${execution}, node = 'bench', attempt = attempt + 1, started_at = ${time}, attempt_started_at = ${time}, wake_at = ${lease}`;
  const statement = {
    postgresql: `UPDATE task_runs r SET ${set('$2', '$3::timestamp', '$4::timestamp')} FROM unnest(${texts(1)}) AS v(id) WHERE r.id = v.id AND r.status = 'SCHEDULED'`,
    mysql: `UPDATE task_runs FORCE INDEX (PRIMARY) SET ${set('?', '?', '?')} WHERE id IN (${places(ids.length)}) AND status = 'SCHEDULED'`,
  };
  const [time, lease] = [sqlTime(at), sqlTime(new Date(Date.now() + 30_000).toISOString())];
  const values =
    driver.dialect === 'mysql' ? [execId, time, time, lease, ...ids] : [ids.join(SEPARATOR), execId, time, lease];
  await driver.run(statement, ...values);
  return ids.map((id) => ({ id, execId, at }));
}

const ATTEMPTS = `INSERT INTO run_attempts (run_id, attempt, tenant_id, exec_id, node, outcome, started_at, finished_at, request, response, http_status)`;

/** Closes the runs and leaves their attempts, in one transaction. */
export async function closeRuns(database: Database, runs: readonly Ended[]): Promise<void> {
  const sorted = [...runs].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (database.dialect === 'mysql') return closeOnMySql(database, sorted);
  const columns: ((one: Ended) => string)[] = [
    ...[(one: Ended) => one.id, (one: Ended) => one.execId, (one: Ended) => sqlTime(one.at)],
    ...[(one: Ended) => sqlTime(one.endedAt.toISOString()), (one: Ended) => String(one.status)],
    ...[(one: Ended) => one.result, (one: Ended) => one.request, (one: Ended) => one.response],
  ];
  const values = columns.map((column) => sorted.map(column).join(SEPARATOR));
  const closed = await database.driver.run({ postgresql: CLOSE, mysql: '' }, ...values);
  if (closed !== runs.length) throw new Error(`${closed} of ${runs.length} runs were closed`);
}

const CLOSE = `WITH v AS MATERIALIZED (SELECT id, exec_id, began::timestamp, ended::timestamp, http_status::smallint, result::jsonb, request, response
    FROM unnest(${[1, 2, 3, 4, 5, 6, 7, 8].map(texts).join()}) AS v(id, exec_id, began, ended, http_status, result, request, response)),
  closed AS (UPDATE task_runs r SET status = 'SUCCESS', finished_at = v.ended, wake_at = NULL, http_status = v.http_status, result = v.result
    FROM v WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING' RETURNING r.id)
  ${ATTEMPTS} SELECT v.id, 1, 'default', v.exec_id, 'bench', 'SUCCESS', v.began, v.ended, v.request, v.response, v.http_status
  FROM v JOIN closed ON closed.id = v.id`;

const word = (size: number) => `varchar(${size}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
const END = `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id ${word(64)} PATH '$[0]', exec_id ${word(36)} PATH '$[1]', ended datetime(3) PATH '$[2]',
    http_status smallint PATH '$[3]', result json PATH '$[4]')) AS v
  STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING'
  SET r.status = 'SUCCESS', r.finished_at = v.ended, r.wake_at = NULL, r.http_status = v.http_status, r.result = v.result`;

async function closeOnMySql(database: Database, runs: readonly Ended[]): Promise<void> {
  const ends = runs.map((one) => [
    one.id,
    one.execId,
    sqlTime(one.endedAt.toISOString()),
    one.status,
    JSON.parse(one.result) as unknown,
  ]);
  const attempts = runs.map((one) => [
    ...[one.id, 1, 'default', one.execId, 'bench', 'SUCCESS', sqlTime(one.at), sqlTime(one.endedAt.toISOString())],
    ...[one.request, one.response, one.status],
  ]);
  await inSqlTransaction(database, async (sql) => {
    const closed = await sql.run({ postgresql: '', mysql: END }, JSON.stringify(ends));
    if (closed !== runs.length) throw new Error(`${closed} of ${runs.length} runs were closed`);
    await sql.insertRows(`${ATTEMPTS} VALUES`, `(${places(11)})`, attempts);
  });
}
