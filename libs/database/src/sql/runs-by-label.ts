import type { Statement } from '../sql.js';

/**
 * Ids of a tenant's runs with a label, archived or not, newest first: a walk along the label's own index, however rare it is.
 * in: tenant, tenant, label, label (the same twice), from id, before id, from time, to time, trigger, category, creator and status or
 *   NULL for any, how many
 * locks: none
 *
 * MariaDB starts such a walk at the cursor only if the columns before it are given as ranges of one value and ordered by
 * (see keyset.ts). PostgreSQL's index of triggers has no everyday ticks; that a trigger is none of them it must see in the text.
 */
const others = {
  postgresql: `($9::varchar IS NULL OR "trigger" = $9) AND ($10::varchar IS NULL OR category = $10)
    AND ($11::varchar IS NULL OR creator = $11) AND ($12::varchar IS NULL OR status = $12)`,
  mysql: `\`trigger\` = COALESCE(?, \`trigger\`) AND COALESCE(category, '') = COALESCE(?, category, '')
    AND COALESCE(creator, '') = COALESCE(?, creator, '') AND status = COALESCE(?, status)`,
};

type Table = 'task_runs' | 'run_archive';

const byLabel = (table: Table, label: 'category' | 'creator' | 'trigger', also = ''): Statement => ({
  postgresql: `SELECT id FROM ${table} WHERE tenant_id = $1 AND tenant_id = $2 AND "${label}" = $3 AND "${label}" = $4${also}
    AND id >= $5 AND id < $6 AND scheduled_time >= $7 AND scheduled_time <= $8 AND ${others.postgresql}
    ORDER BY id DESC LIMIT $13`,
  mysql: `SELECT id FROM ${table} FORCE INDEX (${table}_tenant_id_${label}_id_idx)
    WHERE tenant_id >= ? AND tenant_id <= ? AND \`${label}\` >= ? AND \`${label}\` <= ?
    AND id >= ? AND id < ? AND scheduled_time >= ? AND scheduled_time <= ? AND ${others.mysql}
    ORDER BY tenant_id DESC, \`${label}\` DESC, id DESC LIMIT ?`,
});

const byLabels = (table: Table) => ({
  category: byLabel(table, 'category'),
  creator: byLabel(table, 'creator'),
  trigger: byLabel(table, 'trigger', ` AND "trigger" <> 'CRON'`),
});

export const RUNS_BY_LABEL = byLabels('task_runs');
export const ARCHIVE_BY_LABEL = byLabels('run_archive');
