/** What is wrong with a value, or null. One message per field, in the words of the contract. */
export type Check = (value: unknown) => string | null;

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export interface TextLimits {
  min?: number;
  max: number;
  /** One line, without white space at its ends: names and labels. */
  label?: boolean;
  /** Counted in bytes of UTF-8 instead of characters. */
  bytes?: boolean;
}

export function text({ min = 0, max, label = false, bytes = false }: TextLimits): Check {
  const range = `${min}–${max} ${bytes ? 'bytes' : 'characters'}`;
  return (value) => {
    if (typeof value !== 'string') return `must be a text of ${range}`;
    const length = bytes ? Buffer.byteLength(value) : characters(value, max);
    if (length < min || length > max) return `must be a text of ${range}`;
    if (!label) return null;
    if (value !== value.trim()) return 'must not begin or end with white space';
    return CONTROL.test(value) ? 'must not contain control characters' : null;
  };
}

/** A database counts characters, not UTF-16 units; what is over the limit even in halves is not counted out. */
function characters(value: string, max: number): number {
  return value.length > 2 * max ? value.length : [...value].length;
}

export function whole(min: number, max: number): Check {
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? null
      : `must be a whole number from ${min} to ${max}`;
}

export function fraction(min: number, max: number): Check {
  return (value) =>
    typeof value === 'number' && value >= min && value <= max ? null : `must be a number from ${min} to ${max}`;
}

export function word(words: readonly string[]): Check {
  return (value) => (typeof value === 'string' && words.includes(value) ? null : `must be one of ${words.join(', ')}`);
}

export const flag: Check = (value) => (typeof value === 'boolean' ? null : 'must be true or false');

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;
/** Run ids begin with ten digits of seconds, which last until then. */
const [FIRST_YEAR, LAST_YEAR] = [1970, 2285];

export const instant: Check = (value) => {
  const [, year, month, day] = (typeof value === 'string' && INSTANT.exec(value)) || [];
  const valid = year !== undefined && isDay(+year, +month, +day) && +year >= FIRST_YEAR && +year <= LAST_YEAR;
  return valid ? null : 'must be a time such as 2026-01-31T09:30:00Z, with its offset';
};

/** JavaScript takes 30 February for 2 March. */
function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export function list({ min = 0, max }: { min?: number; max: number }): Check {
  return (value) =>
    Array.isArray(value) && value.length >= min && value.length <= max ? null : `must be a list of ${min}–${max} items`;
}

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Texts by name, any of which may be marked secret, or stand for the secret that is stored. */
export const headers: Check = (value) =>
  isPlainObject(value) && Object.values(value).every(isHeader)
    ? null
    : 'must be an object of texts, each as it is or as {"secret": "…"}, or a string holding such an object';

function isHeader(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return false;
  return typeof value.secret === 'string' || value.secret === true;
}
