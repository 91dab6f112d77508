import type { Statement } from '../sql.js';

/**
 * A sign of life: moves the sliding deadline on and keeps the progress, if the attempt is still under way and its hard deadline
 * has not passed. One row, no index, no alarm: the one that is set goes off, finds the later `wake_at`, and is set anew.
 * in: progress as JSON or null, the new sliding deadline or null, three times, run id, exec id, now
 * out: how many rows (0 or 1)
 */
const isOpen = "status IN ('RUNNING', 'WAITING_CALLBACK')";

export const HEARTBEAT: Statement = {
  postgresql: `UPDATE task_runs SET progress = coalesce($1::jsonb, progress), heartbeat_deadline_at = coalesce($2::timestamp, heartbeat_deadline_at),
      wake_at = CASE WHEN status = 'RUNNING' OR $3::timestamp IS NULL THEN wake_at ELSE least(deadline_at, $4::timestamp) END
    WHERE id = $5 AND exec_id = $6 AND ${isOpen} AND (deadline_at IS NULL OR deadline_at > $7::timestamp)`,
  mysql: `UPDATE task_runs SET progress = coalesce(?, progress), heartbeat_deadline_at = coalesce(?, heartbeat_deadline_at),
      wake_at = CASE WHEN status = 'RUNNING' OR ? IS NULL THEN wake_at ELSE least(coalesce(deadline_at, heartbeat_deadline_at), ?) END
    WHERE id = ? AND exec_id = ? AND ${isOpen} AND (deadline_at IS NULL OR deadline_at > ?)`,
};
