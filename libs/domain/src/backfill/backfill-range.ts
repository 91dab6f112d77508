import type { Schedule } from '../schedule/index.js';
import { type FieldProblem, InvalidInput } from '../task/errors.js';

/** Most due seconds one backfill may have. */
export const LARGEST_BACKFILL = 10_000;

/** Times are epoch seconds, fractions allowed; both ends of the range and of the task's window belong to it. */
export interface RangeInput {
  /** Null: the task runs on demand. */
  schedule: Schedule | null;
  from: number;
  to: number;
  startAt: number | null;
  endAt: number | null;
  now: number;
}

export interface BackfillRange {
  total: number;
  /** The second before the first one, where the walk begins, and the last due second: null when there is none. */
  after: number;
  last: number | null;
}

/** Which due seconds a request is about. Throws InvalidInput. */
export function backfillRange(input: RangeInput): BackfillRange {
  const { schedule, from, to, now, startAt, endAt } = input;
  if (schedule === null) throw refused('cron_expr', 'the task has no schedule: there are no due seconds to bring back');
  if (schedule.every !== undefined) throw refused('cron_expr', '@every counts from the previous fire: nothing to fill');
  if (from > to) throw refused('from', 'must not be after to');
  if (to > now) throw refused('to', 'must not be in the future');
  const after = Math.ceil(Math.max(from, startAt ?? -Infinity)) - 1;
  const end = Math.floor(Math.min(to, endAt ?? Infinity));
  const total = end > after ? schedule.count(after, end) : 0;
  if (total > LARGEST_BACKFILL) throw refused('to', tooMany(total));
  return { total, after, last: total === 0 ? null : schedule.previous(end + 1) };
}

const tooMany = (total: number): string =>
  `the range has ${total} due seconds; at most ${LARGEST_BACKFILL} are brought back at once`;

const refused = (field: string, message: string): InvalidInput =>
  new InvalidInput([{ field, message } satisfies FieldProblem]);
