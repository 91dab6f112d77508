/** A time as both databases read it: UTC, milliseconds, no zone. */
export function sqlTime(time: number | Date): string {
  return new Date(time).toISOString().slice(0, 23).replace('T', ' ');
}

export function sqlTimeOrNull(time: number | Date | null | undefined): string | null {
  return time === null || time === undefined ? null : sqlTime(time);
}

/** A column that holds a JSON object comes back parsed, or as text through Prisma's raw queries on MariaDB. */
export function fromJson(value: unknown): unknown {
  return typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
}
