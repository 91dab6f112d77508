import { execute } from './fill.js';

const DAY = 86_400;
/** Rows of one statement. */
const CHUNK = 500_000;

/** Tasks that the runs belong to: ids 1 to this. */
export const OWNERS = 1_000;

interface Range {
  /** How many runs, spread evenly over these seconds. */
  runs: number;
  from: number;
  seconds: number;
}

/** The first second of what is not archived: from 22 to 2 days ago. */
export const liveFrom = (now: number): number => now - 22 * DAY;
/** And of what is: from 52 to 22 days ago. */
export const archivedFrom = (now: number): number => now - 52 * DAY;

/**
 * Ended runs, written by the server itself: one half not archived yet though most of them are old enough, the other half in the
 * archive. One in twenty FAILED, with an attempt, one in twenty SKIPPED; a few with a category, a creator or another trigger.
 */
export async function fillRuns(url: string, runs: number, now: number): Promise<void> {
  const isMySql = url.startsWith('mysql');
  const half = runs / 2;
  const live = { runs: half, from: liveFrom(now), seconds: 20 * DAY };
  const archived = { runs: half, from: archivedFrom(now), seconds: 30 * DAY };
  const statements = [];
  for (let first = 0; first < half; first += CHUNK) {
    const numbers = numbered(isMySql, first, Math.min(first + CHUNK, half) - 1);
    statements.push(liveRuns(isMySql, live, numbers), attempts(isMySql, live, numbers));
    statements.push(archivedRuns(isMySql, archived, numbers));
  }
  const settle = isMySql ? ['ANALYZE TABLE task_runs, run_archive, run_attempts'] : ['VACUUM ANALYZE', 'CHECKPOINT'];
  await execute(url, [...statements, ...settle]);
}

const numbered = (isMySql: boolean, first: number, last: number): string =>
  isMySql
    ? `(SELECT seq AS i FROM seq_${first}_to_${last}) AS n`
    : `(SELECT i FROM generate_series(${first}, ${last}) AS i) AS n`;

/** The second, the task and the id of the run with number i. */
function partsOf(isMySql: boolean, { runs, from, seconds }: Range) {
  const second = isMySql ? `(${from} + (i * ${seconds}) DIV ${runs})` : `(${from} + i::bigint * ${seconds} / ${runs})`;
  const task = `(1 + i % ${OWNERS})`;
  const id = isMySql ? `CONCAT(${second}, '-', ${task})` : `${second} || '-' || ${task}`;
  const time = (at: string) =>
    isMySql ? `FROM_UNIXTIME(${at})` : `(timestamp '1970-01-01' + (${at}) * interval '1 second')`;
  return { second, task, id, time };
}

const LABELS = `CASE WHEN i % 100 = 0 THEN 'API' ELSE 'CRON' END, CASE WHEN i % 50 = 0 THEN 'team' END,
  CASE WHEN i % 200 = 0 THEN 'somebody' END`;
const column = (isMySql: boolean, name: string) => (isMySql ? `\`${name}\`` : `"${name}"`);

function liveRuns(isMySql: boolean, range: Range, numbers: string): string {
  const { second, task, id, time } = partsOf(isMySql, range);
  const status = "CASE i % 20 WHEN 0 THEN 'FAILED' WHEN 1 THEN 'SKIPPED' ELSE 'SUCCESS' END";
  const reason = "CASE WHEN i % 20 = 1 THEN 'OVERLAP' END";
  return `INSERT INTO task_runs (id, task_id, task_name, ${column(isMySql, 'trigger')}, category, creator, status, skip_reason, scheduled_time,
      started_at, finished_at, attempt, exec_id, payload, trace_id)
    SELECT ${id}, ${task}, 'owner', ${LABELS}, ${status}, ${reason}, ${time(second)}, ${time(second)}, ${time(`${second} + 1`)}, 1, 'e',
      '{"month":"2026-01"}', 'f' FROM ${numbers}`;
}

function attempts(isMySql: boolean, range: Range, numbers: string): string {
  const { second, id, time } = partsOf(isMySql, range);
  return `INSERT INTO run_attempts (run_id, attempt, exec_id, outcome, started_at, finished_at, request)
    SELECT ${id}, 1, 'e', 'FAILED', ${time(second)}, ${time(`${second} + 1`)}, '{"method":"POST"}' FROM ${numbers} WHERE i % 20 = 0`;
}

function archivedRuns(isMySql: boolean, range: Range, numbers: string): string {
  const { second, task, id, time } = partsOf(isMySql, range);
  const status = "CASE WHEN i % 200 = 0 THEN 'MANUALLY_PROCESSED' ELSE 'SUCCESS' END";
  return `INSERT INTO run_archive (id, task_id, task_name, ${column(isMySql, 'trigger')}, category, creator, status, scheduled_time, started_at,
      finished_at, attempt, exec_id, payload, trace_id, archived_at)
    SELECT ${id}, ${task}, 'owner', ${LABELS}, ${status}, ${time(second)}, ${time(second)}, ${time(`${second} + 1`)}, 1, 'e',
      '{"month":"2026-01"}', 'f', ${time(`${second} + 86400`)} FROM ${numbers}`;
}
