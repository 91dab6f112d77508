/**
 * A cron run's id is `<scheduled second>-<task id>`: the primary key itself makes a second exist once, and ids sort by
 * time (ten digits until the year 2286). Any other run of the same second carries a suffix.
 */
export function cronRunId(scheduledSecond: number, taskId: bigint): string {
  return `${second(scheduledSecond)}-${taskId}`;
}

export function onDemandRunId(scheduledSecond: number, taskId: bigint, suffix: string): string {
  return `${second(scheduledSecond)}-${taskId}-${suffix}`;
}

/** The run that makes up for a second whose own row says it was MISSED: that row stays, and this too can exist once. */
export function madeUpRunId(scheduledSecond: number, taskId: bigint): string {
  return onDemandRunId(scheduledSecond, taskId, 'b');
}

/** The smallest id a run of that second can have: what lists compare with for `from` and `to`. */
export function firstIdOfSecond(scheduledSecond: number): string {
  return second(scheduledSecond);
}

function second(value: number): string {
  return String(value).padStart(10, '0');
}
