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

interface Change {
  readonly at: number;
  readonly offset: number;
}

type OffsetAt = (second: number) => number;

/** The shortest span of any zone from 1900 to 2100 is seven days, less an hour. */
const PROBE_EVERY = 5 * 86_400;
/** Spans are worked out from a little before the wanted range, to know of a change just before it. */
const LEAD = PROBE_EVERY;
const LONGEST_FIXED_GAP = 3 * 3600;

/** The spans that touch [from, to). The last is cut at `to`; the first keeps its start if that is a real change. */
export function spansOf(zone: string, from: number, to: number): Span[] {
  const changes = changesBetween(offsetsOf(zone), from - LEAD, to);
  const spans: Span[] = [];
  let reached = -Infinity;
  changes.forEach(({ at, offset }, index) => {
    const span = spanAfter(spans.at(-1), reached, at, changes[index + 1]?.at ?? to, offset);
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

/** The offset at `from`, and every change of it in (from, to). */
function changesBetween(offsetAt: OffsetAt, from: number, to: number): Change[] {
  let current = { at: from, offset: offsetAt(from) };
  const changes: Change[] = [current];
  for (let left = from; left < to; left += PROBE_EVERY) {
    const right = Math.min(left + PROBE_EVERY, to);
    const wanted = offsetAt(right);
    while (current.offset !== wanted) {
      const at = endOfOffset(offsetAt, current.offset, Math.max(left, current.at), right);
      current = { at, offset: offsetAt(at) };
      changes.push(current);
    }
  }
  return changes.filter(({ at }) => at < to);
}

/** The first second in (left, right] without the offset that `left` has and `right` has not. */
function endOfOffset(offsetAt: OffsetAt, offset: number, left: number, right: number): number {
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
