import type { ClaimedRun, TaskDefinition } from '#database';
import type { CommandCall } from '#shell';

/** The command of one execution. It reads the payload, and is told of its run by variables. */
export function buildCommand(
  task: TaskDefinition,
  run: ClaimedRun,
  abortable: (abort: () => void) => void,
): CommandCall {
  return {
    execId: run.execId,
    command: task.command ?? '',
    stdin: run.payload === null || run.payload === undefined ? undefined : JSON.stringify(run.payload),
    env: {
      PUNCTUAL_RUN_ID: run.id,
      PUNCTUAL_TASK_ID: String(run.taskId),
      PUNCTUAL_ATTEMPT: String(run.attempt),
      PUNCTUAL_SCHEDULED_TIME: new Date(run.scheduledTime).toISOString(),
    },
    timeoutMs: (run.attemptTimeoutSeconds ?? task.timeoutSeconds) * 1000,
    abortable,
  };
}
