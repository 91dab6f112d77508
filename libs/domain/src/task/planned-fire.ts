import { firstFireAt } from '../plan/index.js';
import { parseSchedule } from '../schedule/index.js';
import type { TaskDefinition } from './definition.js';

type Timing = Pick<TaskDefinition, 'cronSource' | 'timezone' | 'startAt' | 'endAt' | 'status'>;

/** The first due second after `now`, or null: the task is disabled, runs on demand, or its time is over. */
export function plannedFire(task: Timing, now: Date): Date | null {
  if (task.cronSource === null || task.status !== 'ENABLED') return null;
  const schedule = parseSchedule(task.cronSource, task.timezone);
  const second = firstFireAt(schedule, Math.floor(seconds(now)), optional(task.startAt), optional(task.endAt));
  return second === null ? null : new Date(second * 1000);
}

const seconds = (time: Date): number => time.getTime() / 1000;
const optional = (time: Date | null): number | undefined => (time === null ? undefined : seconds(time));
