import { EARLIEST, LATEST } from './calendar.js';
import { type Fields, Flag, FOLLOWS_INSTANTS, type SpecialDays } from './fields.js';
import { fieldsText } from './normalize.js';
import { firesBetween, type Schedule } from './schedule.js';
import { countDueWalls, dueWallFrom, dueWallUpTo } from './wall-clock.js';
import { type ZoneClock } from './zone-clock.js';
import { type Span } from './zone-spans.js';

/** Five or six fields in a zone. Holds bit sets and a shared clock, nothing else: 120 bytes. */
export class CronSchedule implements Schedule, Fields {
  readonly secondLow: number;
  readonly secondHigh: number;
  readonly minuteLow: number;
  readonly minuteHigh: number;
  readonly hour: number;
  readonly dayOfMonth: number;
  readonly month: number;
  readonly weekday: number;
  readonly flags: number;
  readonly special: SpecialDays | undefined;

  constructor(
    fields: Fields,
    readonly clock: ZoneClock,
    zoneFlag: number,
  ) {
    this.secondLow = fields.secondLow;
    this.secondHigh = fields.secondHigh;
    this.minuteLow = fields.minuteLow;
    this.minuteHigh = fields.minuteHigh;
    this.hour = fields.hour;
    this.dayOfMonth = fields.dayOfMonth;
    this.month = fields.month;
    this.weekday = fields.weekday;
    this.flags = fields.flags | zoneFlag;
    this.special = fields.special;
  }

  get zone(): string {
    return this.clock.name;
  }

  get every(): undefined {
    return undefined;
  }

  get normalized(): string {
    return `${this.flags & Flag.OWN_ZONE ? `CRON_TZ=${this.zone} ` : ''}${fieldsText(this)}`;
  }

  /** Fires at every instant that reads as a due wall-clock time; otherwise each wall-clock time fires once. */
  get followsInstants(): boolean {
    return (this.flags & FOLLOWS_INSTANTS) !== 0;
  }

  next(after: number): number | null {
    let second = Math.max(Math.floor(after) + 1, EARLIEST);
    let searched = Infinity;
    let wall = -Infinity;
    while (second <= LATEST) {
      const span = this.clock.spanAt(second);
      const first = this.firstWall(span, second);
      // A rare date lies many spans ahead; it is looked for once, not once per span.
      if (first < searched || first > wall) wall = dueWallFrom(this, (searched = first));
      const fire = Math.max(wall - span.offset, span.start);
      if (fire < span.end) return fire <= LATEST ? fire : null;
      second = span.end;
    }
    return null;
  }

  previous(before: number): number | null {
    let second = Math.min(Math.ceil(before) - 1, LATEST);
    let searched = -Infinity;
    let wall = Infinity;
    while (second >= EARLIEST) {
      const span = this.clock.spanAt(second);
      const last = second + span.offset;
      if (last > searched || last < wall) wall = dueWallUpTo(this, (searched = last));
      if (wall >= this.spanFrom(span)) return earliest(Math.max(wall - span.offset, span.start));
      second = span.start - 1;
    }
    return null;
  }

  matches(second: number): boolean {
    return Number.isInteger(second) && this.next(second - 1) === second;
  }

  between(from: number, to: number, limit: number): number[] {
    return firesBetween(this, from, to, limit);
  }

  count(from: number, to: number): number {
    const last = Math.min(Math.floor(to), LATEST);
    let second = Math.max(Math.floor(from) + 1, EARLIEST);
    let count = 0;
    while (second <= last) {
      const span = this.clock.spanAt(second);
      count += this.countIn(span, second, Math.min(last + 1, span.end));
      second = span.end;
    }
    return count;
  }

  /** Halving on `count`: the first second by which enough fires have passed. */
  advance(after: number, steps: number): number | null {
    const start = Math.floor(after);
    if (steps <= 0) return start;
    let reach = steps;
    while (this.count(start, start + reach) < steps) {
      if (start + reach > LATEST) return null;
      reach *= 2;
    }
    let low = start;
    let high = start + reach;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.count(start, middle) < steps) low = middle;
      else high = middle;
    }
    return high;
  }

  private spanFrom(span: Span): number {
    return this.followsInstants ? span.start + span.offset : span.fixedFrom;
  }

  /** Times skipped by the change at a span's start fire at that start, so from there the search begins with them. */
  private firstWall(span: Span, second: number): number {
    const from = this.spanFrom(span);
    return second === span.start ? from : Math.max(second + span.offset, from);
  }

  private countIn(span: Span, second: number, end: number): number {
    const first = this.firstWall(span, second);
    const begins = second + span.offset;
    if (first >= begins) return countDueWalls(this, first, end + span.offset);
    // The skipped times and the instant of the change itself are one fire.
    const atChange = dueWallFrom(this, first) <= begins ? 1 : 0;
    return atChange + countDueWalls(this, begins + 1, end + span.offset);
  }
}

const earliest = (second: number): number | null => (second >= EARLIEST ? second : null);
