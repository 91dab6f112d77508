/** A stretch of time with one offset from UTC: [start, end) in epoch seconds, offset in seconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  /**
   * The first wall-clock second that a fixed-time schedule fires in this span. Later than the span's own beginning
   * after a backward change (what came before has fired already); earlier after a forward change of at most three
   * hours: the skipped times, which fire at `start`.
   */
  readonly fixedFrom: number;
}

type OffsetAt = (second: number) => number;

/** The shortest span of any zone from 1900 to 2100 is seven days, less an hour. */
const PROBE_EVERY = 5 * 86_400;
/** Spans are worked out from a little before the wanted range, to know of a change just before it. */
const LEAD = PROBE_EVERY;
const LONGEST_FIXED_GAP = 3 * 3600;

/** The spans that touch [from, to). The last is cut at `to`; the first keeps its start if that is a real change. */
export function spansOf(zone: string, from: number, to: number): Span[] {
  const offsetAt = offsetsOf(zone);
  const changes = changesBetween(offsetAt, from - LEAD, to);
  const spans: Span[] = [];
  let reached = -Infinity;
  changes.forEach((start, index) => {
    const span = spanAfter(spans.at(-1), reached, start, changes[index + 1] ?? to, offsetAt(start));
    reached = Math.max(reached, span.end + span.offset);
    spans.push(span);
  });
  return spans.filter((span) => span.end > from);
}

/** `reached`: the latest wall-clock second that any span before this one came to. */
function spanAfter(before: Span | undefined, reached: number, start: number, end: number, offset: number): Span {
  const skipped = before === undefined ? 0 : offset - before.offset;
  const firesSkipped = skipped > 0 && skipped <= LONGEST_FIXED_GAP;
  const fixedFrom = firesSkipped ? reached : Math.max(reached, start + offset);
  return { start, end, offset, fixedFrom };
}

/** `from` and every second in (from, to) at which the offset changes. */
function changesBetween(offsetAt: OffsetAt, from: number, to: number): number[] {
  const changes = [from];
  for (let left = from; left < to; left += PROBE_EVERY) {
    const right = Math.min(left + PROBE_EVERY, to);
    let change = changeIn(offsetAt, left, right);
    while (change < right) {
      changes.push(change);
      change = changeIn(offsetAt, change, right);
    }
  }
  return changes;
}

/** The second in (left, right) from which the offset of `left` no longer holds, or `right`. */
function changeIn(offsetAt: OffsetAt, left: number, right: number): number {
  const offset = offsetAt(left);
  if (offsetAt(right) === offset) return right;
  let same = left;
  let other = right;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle) === offset) same = middle;
    else other = middle;
  }
  return other;
}

/** Intl prints GMT, GMT+05:30 or GMT-00:44:30 at the end. */
const OFFSET = /GMT(?:([+\-−])(\d+):(\d+)(?::(\d+))?)?$/;

function offsetsOf(zone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  return (second) => {
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(format.format(second * 1000)) ?? [];
    const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return sign === '+' ? size : -size;
  };
}
