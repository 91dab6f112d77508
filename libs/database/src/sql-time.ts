import { timeWriter } from '#domain';

const write = timeWriter(' ', '');

/** A time as both databases read it: UTC, milliseconds, no zone. */
export const sqlTime = (time: number | Date): string => write(Number(time));

/** Rows leave out what is null: it is as good to the database, and less to read. */
export function sqlTimeIf(time: number | Date | null | undefined): string | undefined {
  return time === null || time === undefined ? undefined : sqlTime(time);
}

/** A column that holds a JSON object comes back parsed, or as text through Prisma's raw queries on MariaDB. */
export function fromJson(value: unknown): unknown {
  return typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
}
