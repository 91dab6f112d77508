import type { Statement } from '../sql.js';
import { IDS } from './id-rows.js';

/**
 * Drops attempts of runs from their log, from the second one up to the one that is named.
 * in: JSON array of {run_id, up_to}
 * locks: the attempts
 */
const dropped = {
  postgresql: 'json_to_recordset($1::json) AS v(run_id varchar(64), up_to int)',
  mysql: `JSON_TABLE(?, '$[*]' COLUMNS (run_id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.run_id',
    up_to int PATH '$.up_to')) AS v`,
};
const these = 'd.run_id = v.run_id AND d.attempt > 1 AND d.attempt <= v.up_to';

export const DROP_ATTEMPTS: Statement = {
  postgresql: `DELETE FROM run_attempts d USING ${dropped.postgresql} WHERE ${these}`,
  mysql: `DELETE d FROM ${dropped.mysql} STRAIGHT_JOIN run_attempts d FORCE INDEX (PRIMARY) ON ${these}`,
};

/** The same for calls that started ASYNC attempts: what was said goes, the token stays good for a late callback. */
export const DROP_STARTS: Statement = {
  postgresql: `UPDATE run_callbacks d SET request = NULL, response = NULL FROM ${dropped.postgresql} WHERE ${these}`,
  mysql: `UPDATE ${dropped.mysql} STRAIGHT_JOIN run_callbacks d FORCE INDEX (PRIMARY) ON ${these}
    SET d.request = NULL, d.response = NULL`,
};

/** All that executions of runs have left behind. in: JSON array of run ids; locks: the rows */
export const DROP_ALL_ATTEMPTS: Statement = {
  postgresql: `DELETE FROM run_attempts d USING ${IDS.postgresql} WHERE d.run_id = v.id`,
  mysql: `DELETE d FROM ${IDS.mysql} STRAIGHT_JOIN run_attempts d FORCE INDEX (PRIMARY) ON d.run_id = v.id`,
};

export const DROP_ALL_STARTS: Statement = {
  postgresql: `UPDATE run_callbacks d SET request = NULL, response = NULL FROM ${IDS.postgresql} WHERE d.run_id = v.id`,
  mysql: `UPDATE ${IDS.mysql} STRAIGHT_JOIN run_callbacks d FORCE INDEX (PRIMARY) ON d.run_id = v.id
    SET d.request = NULL, d.response = NULL`,
};
