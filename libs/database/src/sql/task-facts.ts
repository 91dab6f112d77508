/** What plan and admit decide by, and what a run row copies from its task. */
export const TASK_FACT_COLUMNS = `t.id, t.tenant_id, t.name, t.category, t.creator, t.cron_expr, t.timezone, t.retry_policy_json,
  t.max_concurrency, t.concurrency_policy, t.queue_limit, t.overlap_action, t.failure_action, t.catch_up_mode, t.catch_up_limit,
  t.max_lateness_seconds, t.start_at, t.end_at, t.jitter_seconds, t.priority, t.executor, s.next_fire_at, s.active_runs, s.queued_runs,
  s.last_run_id, s.last_ended_run_id, s.failed_tick_attempt, s.failure_skipped`;

export const TASK_FACTS = `${TASK_FACT_COLUMNS} FROM task_states s JOIN tasks t ON t.id = s.task_id`;
