/** The columns that plan and admit decide by, and what a run row copies from its task. */
export const TASK_FACTS = `id, tenant_id, name, category, creator, cron_expr, timezone, retry_policy_json, max_concurrency,
  concurrency_policy, queue_limit, overlap_action, catch_up_mode, catch_up_limit, start_at, end_at, jitter_seconds,
  priority, next_fire_at, active_runs, queued_runs`;
