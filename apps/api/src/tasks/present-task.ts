import type { LastRun, StoredTask } from '#database';
import { type HeaderValues, type Notify, shownHeaders, TASK_DEFAULTS, type TaskDefinition } from '#domain';
import { wireName } from './definition-from.js';

const FIELDS = Object.keys(TASK_DEFAULTS) as (keyof TaskDefinition & keyof StoredTask['row'])[];

/** A task as the outside sees it: every field, the read-only ones, and never a secret. */
export function presentTask({ row, tags, lastRun }: StoredTask) {
  return {
    id: String(row.id),
    version: row.version,
    type: row.type,
    name: row.name,
    ...Object.fromEntries(FIELDS.map((field) => [wireName(field), shown(row[field])])),
    cron_expr: row.cronExpr,
    cron_source: row.cronSource,
    tags,
    headers_json: shownHeaders(row.headersJson as HeaderValues | null),
    notify: withoutSecret(row.notify as Notify | null),
    next_fire_at: shown(row.nextFireAt),
    active_runs: row.activeRuns,
    queued_runs: row.queuedRuns,
    last_run: lastRun && presentLastRun(lastRun),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const shown = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

function presentLastRun({ id, status, scheduledTime, finishedAt }: LastRun) {
  return { id, status, scheduled_time: scheduledTime.toISOString(), finished_at: shown(finishedAt) };
}

function withoutSecret(notify: Notify | null): object | null {
  if (!notify?.security) return notify;
  const { sk: _sk, sealed, ...security } = notify.security;
  return { ...notify, security: sealed ? { ...security, has_sk: true } : security };
}
