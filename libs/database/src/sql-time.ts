import { timeWriter } from '#domain';

const write = timeWriter(' ', '');

/** A time as both databases read it: UTC, milliseconds, no zone. */
export const sqlTime = (time: number | Date): string => write(Number(time));

/** Rows leave out what is null: it is as good to the database, and less to read. */
export function sqlTimeIf(time: number | Date | null | undefined): string | undefined {
  return time === null || time === undefined ? undefined : sqlTime(time);
}

/**
 * A time as PostgreSQL writes it: `2026-11-16 09:30:00`, with as many digits of a fraction as it needs. Read digit by digit, since a Date
 * takes five times as long to read a text; what looks otherwise (years beyond 9999, or before 1000) is left to it.
 */
export function readSqlTime(text: string): Date {
  const { length } = text;
  if (!isPlain(text)) return new Date(`${text.replace(' ', 'T')}Z`);
  const second = Date.UTC(
    digits(text, 0, 4),
    digits(text, 5, 7) - 1,
    digits(text, 8, 10),
    digits(text, 11, 13),
    digits(text, 14, 16),
    digits(text, 17, 19),
  );
  return new Date(second + digits(text, 20, length) * 10 ** (23 - Math.max(20, length)));
}

function isPlain(text: string): boolean {
  const { length } = text;
  return (
    length >= 19 &&
    length <= 23 &&
    text.charCodeAt(0) !== ZERO &&
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(7) === DASH &&
    text.charCodeAt(10) === SPACE &&
    (length === 19 || text.charCodeAt(19) === DOT)
  );
}

const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i++) number = 10 * number + text.charCodeAt(i) - ZERO;
  return number;
}

/** A column that holds a JSON object comes back parsed, or as text through Prisma's raw queries on MariaDB. */
export function fromJson(value: unknown): unknown {
  return typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
}
