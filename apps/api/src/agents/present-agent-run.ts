import type { AgentRun } from '#database';

/** A claimed run as its agent sees it. */
export function presentAgentRun(run: AgentRun) {
  return {
    id: run.id,
    exec_id: run.execId,
    deadline: new Date(run.deadline).toISOString(),
    timeout_at: new Date(run.timeoutAt).toISOString(),
    attempt: run.attempt,
    max_attempts: run.maxAttempts,
    task_id: String(run.taskId),
    task_name: run.taskName,
    category: run.category,
    creator: run.creator,
    trigger: run.trigger,
    priority: run.priority,
    scheduled_time: new Date(run.scheduledTime).toISOString(),
    payload: run.payload,
    trace_id: run.traceId,
  };
}
