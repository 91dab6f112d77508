import { CronError, parseSchedule } from '../schedule/index.js';
import type { TaskDefinition } from './definition.js';
import type { FieldProblem } from './errors.js';

type Timing = Pick<TaskDefinition, 'cronSource' | 'timezone' | 'startAt' | 'endAt'>;

const ANY_TIME = '* * * * * *';

export function scheduleProblems({ cronSource, timezone, startAt, endAt }: Timing): FieldProblem[] {
  const found = cronProblems(ANY_TIME, timezone);
  // A zone that is unknown says nothing about the expression; it is looked at in one that is known.
  if (cronSource !== null) found.push(...cronProblems(cronSource, found.length === 0 ? timezone : 'UTC'));
  if (startAt && endAt && endAt <= startAt) found.push({ field: 'end_at', message: 'must be after start_at' });
  return found;
}

/** What a schedule is refused for, under the name of the request's field: `minute: 61 is out of range`. */
export function cronProblems(expression: string, zone: string): FieldProblem[] {
  try {
    parseSchedule(expression, zone);
    return [];
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    return [cronProblem(error, expression)];
  }
}

/** A zone written into the expression is the expression's fault. */
function cronProblem(error: CronError, expression: string): FieldProblem {
  const isTasksZone = error.field === 'timezone' && !/^\s*(CRON_)?TZ=/.test(expression);
  const field = isTasksZone ? 'timezone' : 'cron_expr';
  return { field, message: error.message.replace(new RegExp(`^${field}: `), '') };
}
