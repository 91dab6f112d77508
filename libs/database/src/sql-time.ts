/** A time as both databases read it: UTC, milliseconds, no zone. */
export function sqlTime(time: number | Date): string {
  return new Date(time).toISOString().slice(0, 23).replace('T', ' ');
}

export function sqlTimeOrNull(time: number | Date | null | undefined): string | null {
  return time === null || time === undefined ? null : sqlTime(time);
}

/** JSON columns come back parsed from PostgreSQL and as text from MariaDB. */
export function fromJson(value: unknown): unknown {
  return typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
}
