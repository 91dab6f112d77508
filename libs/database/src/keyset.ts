import type { Database } from './client.js';

/**
 * The leading column of an index that a keyset walk uses. MariaDB takes an equality on it for a lookup by that column
 * alone and then reads through everything before the cursor (300,000 rows: 1 s instead of 1 ms); a range of one value,
 * ordered by as well, makes it start at the cursor. PostgreSQL needs the equality.
 */
export function leading<Value>({ dialect }: Database, value: Value): Value | { gte: Value; lte: Value } {
  return dialect === 'mysql' ? { gte: value, lte: value } : value;
}
