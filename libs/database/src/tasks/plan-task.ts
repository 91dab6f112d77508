import { parseSchedule, plannedFire, type TaskDefinition } from '#domain';

/** What a definition means for the tick: the schedule in its normal form, and the next due second after `now`. */
export function planOf(task: TaskDefinition, now: Date) {
  return {
    cronExpr: task.cronSource === null ? null : parseSchedule(task.cronSource, task.timezone).normalized,
    nextFireAt: plannedFire(task, now),
  };
}

const SCHEDULE = ['cronSource', 'timezone', 'startAt', 'endAt', 'status'] as const satisfies (keyof TaskDefinition)[];

/** Whether what was planned for the task no longer holds. */
export function plansDiffer(before: TaskDefinition, after: TaskDefinition): boolean {
  return SCHEDULE.some((name) => before[name]?.valueOf() !== after[name]?.valueOf());
}
