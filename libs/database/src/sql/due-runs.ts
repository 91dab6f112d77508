import type { Statement } from '../sql.js';

/**
 * Ids of a tenant's runs of one status whose time is over, from the left: a walk along an index that has this status.
 * in: tenant, status, after id, before id, ended before, how many
 * locks: none
 *
 * A delivery that is still PENDING keeps its run.
 */
interface Place {
  table: 'task_runs' | 'run_archive';
  index: string;
  is: { postgresql: string; mysql: string };
}

const dueIn = ({ table, index, is }: Place): Statement => ({
  postgresql: `SELECT r.id FROM ${table} r WHERE r.tenant_id = $1 AND ${is.postgresql} AND r.id > $3 AND r.id < $4
    AND r.finished_at < $5 AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.run_id = r.id AND o.status = 'PENDING')
    ORDER BY r.id LIMIT $6`,
  mysql: `SELECT r.id FROM ${table} r FORCE INDEX (${index}) WHERE r.tenant_id = ? AND ${is.mysql} AND r.id > ? AND r.id < ?
    AND r.finished_at < ? AND NOT EXISTS (SELECT 1 FROM outbox o FORCE INDEX (outbox_run_id_id_idx) WHERE o.run_id = r.id AND o.status = 'PENDING')
    ORDER BY r.id LIMIT ?`,
});

const ATTENTION = { table: 'task_runs', index: 'task_runs_tenant_id_attention_id_idx' } as const;

export const DUE_RUNS = {
  /** Those that ended in an everyday way: SUCCESS. */
  everyday: dueIn({
    ...ATTENTION,
    is: {
      postgresql: 'r.attention IS NULL AND r.status = $2',
      mysql: 'r.attention IS NULL AND r.status = ?',
    },
  }),
  others: dueIn({ ...ATTENTION, is: { postgresql: 'r.attention = $2', mysql: 'r.attention = ?' } }),
  archived: dueIn({
    table: 'run_archive',
    index: 'run_archive_tenant_id_status_id_idx',
    is: { postgresql: 'r.status = $2', mysql: 'r.status = ?' },
  }),
};
