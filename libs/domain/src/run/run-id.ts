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

/** Null for what is no id of ours. */
export function taskIdOf(runId: string): bigint | null {
  const from = runId.indexOf('-') + 1;
  const end = runId.indexOf('-', from);
  const digits = runId.slice(from, end === -1 ? undefined : end);
  return from > 0 && /^\d{1,19}$/.test(digits) ? BigInt(digits) : null;
}

function second(value: number): string {
  return String(value).padStart(10, '0');
}
