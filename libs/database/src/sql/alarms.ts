import { LOST_AFTER_MS } from '#domain';
import { onlyMySql, onlyPostgres, type Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

/** Sets alarms for runs. in: JSON array of {run_id, at}; an alarm that is there already is not set again */
export const SET_ALARMS: Statement = {
  postgresql: `INSERT INTO run_alarms (at, run_id, tenant_id)
    SELECT v.at, r.id, r.tenant_id FROM json_to_recordset($1::json) AS v(at timestamp, run_id varchar(64))
    JOIN task_runs r ON r.id = v.run_id ON CONFLICT DO NOTHING`,
  mysql: `INSERT INTO run_alarms (at, run_id, tenant_id)
    SELECT v.at, r.id, r.tenant_id FROM JSON_TABLE(?, '$[*]' COLUMNS (at datetime(3) PATH '$.at',
      run_id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.run_id')) AS v
    STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.run_id
    ON DUPLICATE KEY UPDATE run_alarms.run_id = run_alarms.run_id`,
};

/**
 * Takes the alarms that have gone off, oldest first. Those of closed runs are gone with that, as almost all are as a rule; those of runs that
 * have until later are set for then, which in a long backlog are all; the other runs are named. PostgreSQL only: to read them first costs
 * three times as much.
 * in: now, most alarms
 * out: one row: `alarms`, how many; `runs`, ids of those that are overdue, and of those that wait for a callback
 * locks: the alarms, skipping those others hold
 */
export const TAKE_ALARMS = onlyPostgres(`WITH due AS MATERIALIZED (SELECT ctid, run_id FROM run_alarms
    WHERE at <= $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED),
  taken AS (DELETE FROM run_alarms WHERE ctid = ANY (ARRAY(SELECT ctid FROM due))),
  open AS MATERIALIZED (SELECT DISTINCT r.id, r.tenant_id, r.wake_at, r.wake_at > $1 AND r.status <> 'WAITING_CALLBACK' AS has_time
    FROM due CROSS JOIN LATERAL (SELECT id, tenant_id, wake_at, status FROM task_runs
      WHERE id = due.run_id OFFSET 0) r WHERE r.wake_at IS NOT NULL),
  later AS (INSERT INTO run_alarms (at, run_id, tenant_id) SELECT wake_at, id, tenant_id FROM open WHERE has_time
    ON CONFLICT DO NOTHING)
  SELECT (SELECT count(*)::int FROM due) AS alarms,
    (SELECT coalesce(json_agg(id), '[]') FROM open WHERE NOT has_time) AS runs`);

const columns =
  'r.id, r.task_id, r.tenant_id, r.status, r.exec_id, r.attempt, r.tick_attempt, r.max_attempts, r.node, r.priority, r.trigger, r.trace_id, coalesce(r.attempt_started_at, r.started_at) AS attempt_started_at, r.wake_at, r.deadline_at, r.heartbeat_deadline_at, r.start_before, t.need_manual, t.on_node_lost, t.executor, t.notify';

/** Those of the runs that still have something to wait for. in: JSON array of run ids */
export const RUNS_TO_WAKE: Statement = {
  postgresql: `SELECT ${columns} FROM json_array_elements_text($1::json) AS v(id)
    JOIN task_runs r ON r.id = v.id JOIN tasks t ON t.id = r.task_id WHERE r.wake_at IS NOT NULL`,
  mysql: `SELECT ${columns} FROM JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v
    STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = r.task_id WHERE r.wake_at IS NOT NULL`,
};

/**
 * MySQL takes them in steps: this one, and those of `stretchOfAlarms`, or CLEAR_ALARMS instead of the last.
 * in: now, most rows
 * out: when, as text, so that nobody reads it and writes it again; and the run
 * locks: the alarms, skipping those others hold
 */
export const DUE_ALARMS = onlyMySql(`SELECT CAST(at AS CHAR) AS went_off, run_id FROM run_alarms
  WHERE at <= ? ORDER BY at, run_id LIMIT ? FOR UPDATE SKIP LOCKED`);

export interface DueAlarm {
  went_off: string;
  run_id: string;
}

/**
 * The alarms from one to another, as a stretch of the index: to look each of them up by itself costs twice as much. Alarms of others may
 * lie in between: those that were skipped, and new ones. Whoever clears them counts the rows: if there are more than were due, the
 * transaction must not be committed.
 */
export function stretchOfAlarms(first: DueAlarm, last: DueAlarm) {
  const { where, values } = rangesOf(first, last);
  const open = `FROM run_alarms FORCE INDEX (PRIMARY)
      STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = run_alarms.run_id WHERE ${where} AND r.wake_at IS NOT NULL`;
  return {
    values,
    /** in: now, the stretch; out: the runs that still have something to wait for, and whether that is later and nobody need know */
    open: onlyMySql(`SELECT r.id, r.wake_at > ? AND r.status <> 'WAITING_CALLBACK' AS has_time ${open}`),
    /** Sets alarms for those that have until later, as they are now: one of them may owe a callback by then. in: the stretch, now */
    later: onlyMySql(`INSERT IGNORE INTO run_alarms (at, run_id, tenant_id)
      SELECT r.wake_at, r.id, r.tenant_id ${open} AND r.wake_at > ?`),
    /** locks: the stretch, and waits for whoever holds the alarm after it */
    clear: onlyMySql(`DELETE FROM run_alarms WHERE ${where}`),
  };
}

/** In words that MySQL and MariaDB take for ranges of the index. */
function rangesOf(first: DueAlarm, last: DueAlarm): { where: string; values: string[] } {
  if (first.went_off === last.went_off)
    return {
      where: 'run_alarms.at = ? AND run_alarms.run_id BETWEEN ? AND ?',
      values: [first.went_off, first.run_id, last.run_id],
    };
  return {
    where: `(run_alarms.at = ? AND run_alarms.run_id >= ? OR run_alarms.at > ? AND run_alarms.at < ?
      OR run_alarms.at = ? AND run_alarms.run_id <= ?)`,
    values: [first.went_off, first.run_id, first.went_off, last.went_off, last.went_off, last.run_id],
  };
}

/** Each by itself, whatever lies between them. in: JSON array of [when, run] */
export const CLEAR_ALARMS = onlyMySql(`DELETE a FROM JSON_TABLE(?, '$[*]' COLUMNS (at datetime(3) PATH '$[0]',
    run_id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS v
  STRAIGHT_JOIN run_alarms a FORCE INDEX (PRIMARY) ON a.at = v.at AND a.run_id = v.run_id`);

/** Those of the runs that are overdue now, and that nobody holds: the others' alarms go off again. in: JSON array of run ids, ascending, now; locks: those runs */
export const HOLD_OVERDUE: Statement = {
  postgresql: `SELECT id FROM task_runs WHERE id IN (SELECT value FROM json_array_elements_text($1::json)) AND wake_at <= $2
    ORDER BY id FOR UPDATE SKIP LOCKED`,
  mysql: `SELECT r.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v
    STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id WHERE r.wake_at <= ? ${forUpdateOf('r')} SKIP LOCKED`,
};

/** Puts off the next look at runs that are overdue. in: JSON array of run ids, ascending, now, next time */
export const POSTPONE_WAKE: Statement = {
  postgresql: `UPDATE task_runs SET wake_at = $3
    WHERE id IN (SELECT value FROM json_array_elements_text($1::json)) AND wake_at <= $2`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v
    STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.wake_at <= ? SET r.wake_at = ?`,
};

/** Has runs that wait in the queue for a later moment looked at later. in: JSON array of {id, at}, ascending by id */
export const WAKE_LATER: Statement = {
  postgresql: `UPDATE task_runs r SET wake_at = v.at FROM json_to_recordset($1::json) AS v(id varchar(64), at timestamp)
    WHERE r.id = v.id AND r.status IN ('SCHEDULED', 'RETRYING') AND r.wake_at < v.at`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      at datetime(3) PATH '$.at')) AS v STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    SET r.wake_at = v.at WHERE r.status IN ('SCHEDULED', 'RETRYING') AND r.wake_at < v.at`,
};

/**
 * Has runs that no queue knows of looked at sooner; but no retry that is not due by then, since its `wake_at` says when it is.
 * in: JSON array of {id, at}
 */
export const WAKE_SOONER: Statement = {
  postgresql: `UPDATE task_runs r SET wake_at = v.at FROM json_to_recordset($1::json) AS v(id varchar(64), at timestamp)
    WHERE r.id = v.id AND r.wake_at > v.at
      AND (r.status = 'SCHEDULED' OR r.status = 'RETRYING' AND r.wake_at <= v.at + interval '${LOST_AFTER_MS} ms')`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      at datetime(3) PATH '$.at')) AS v STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.wake_at > v.at
    SET r.wake_at = v.at
    WHERE r.status = 'SCHEDULED' OR r.status = 'RETRYING' AND r.wake_at <= DATE_ADD(v.at, INTERVAL ${LOST_AFTER_MS / 1000} SECOND)`,
};

/** Has runs that wait for their attempt looked at then, sooner or later than before. The caller holds them. in: JSON array of {id, at} */
export const DUE_ANEW: Statement = {
  postgresql: `UPDATE task_runs r SET wake_at = v.at FROM json_to_recordset($1::json) AS v(id varchar(64), at timestamp)
    WHERE r.id = v.id AND r.status IN ('SCHEDULED', 'RETRYING') AND r.wake_at IS NOT NULL`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      at datetime(3) PATH '$.at')) AS v STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.wake_at IS NOT NULL
    SET r.wake_at = v.at WHERE r.status IN ('SCHEDULED', 'RETRYING')`,
};
