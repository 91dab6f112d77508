/** A time as both databases read it: UTC, milliseconds, no zone. */
export function sqlTime(time: number | Date): string {
  const ms = Number(time);
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString().slice(0, 23).replace('T', ' ') };
  return last.text;
}

/** The rows of a batch share most of their times. */
let last = { ms: NaN, text: '' };

/** Rows leave out what is null: it is as good to the database, and less to read. */
export function sqlTimeIf(time: number | Date | null | undefined): string | undefined {
  return time === null || time === undefined ? undefined : sqlTime(time);
}

/** A column that holds a JSON object comes back parsed, or as text through Prisma's raw queries on MariaDB. */
export function fromJson(value: unknown): unknown {
  return typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
}
