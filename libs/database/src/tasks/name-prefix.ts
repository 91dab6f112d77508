import type { Prisma } from '../generated/postgresql/client.js';

/**
 * Names that start with a text: a range, which an index serves whatever the planner knows about the value, and a LIKE
 * with its own wildcards taken literally, which settles the few cases that collations see otherwise (a trailing space).
 */
export function startsWith(prefix: string): Prisma.StringNullableFilter {
  const end = successor(prefix);
  return {
    gte: prefix,
    ...(end === null ? {} : { lt: end }),
    startsWith: literal(prefix),
  };
}

/** The same for a statement of our own. */
export function nameRange(prefix: string): { from: string; to: string; pattern: string } {
  return {
    from: prefix,
    to: successor(prefix) ?? String.fromCodePoint(LAST).repeat(2),
    pattern: `${literal(prefix)}%`,
  };
}

/** Without the meaning that some characters have in a pattern. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

const LAST = 0x10ffff;

/** The first text after all that start with the prefix, code point by code point, which is also UTF-8's order. */
function successor(prefix: string): string | null {
  const points = [...prefix].map((char) => char.codePointAt(0) as number);
  while (points.at(-1) === LAST) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}
