import { canonicalZone } from './zone-name.js';
import { type Span, spansOf } from './zone-spans.js';

/** About four years. Built when first asked for: a zone then costs 2 to 4 ms, and 1970–2100 at once would cost 100. */
const BLOCK = 2 ** 27;
const MOST_NAMES = 2048;

export interface OffsetChange {
  readonly at: number;
  /** Offsets from UTC on either side. */
  readonly before: number;
  readonly after: number;
}

/** A zone's offsets. Aliases of one zone share their table; the tables live as long as the process. */
export class ZoneClock {
  private constructor(
    readonly name: string,
    private readonly canonical: string,
    private readonly blocks: Map<number, Span[]>,
  ) {}

  private static readonly byName = new Map<string, ZoneClock>();
  private static readonly tables = new Map<string, Map<number, Span[]>>();

  static of(name: string): ZoneClock {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    const canonical = canonicalZone(name);
    const table = this.tables.get(canonical) ?? new Map<number, Span[]>();
    this.tables.set(canonical, table);
    // Names come in any case, so their number has no natural bound.
    if (this.byName.size >= MOST_NAMES) this.byName.clear();
    const clock = new ZoneClock(name, canonical, table);
    this.byName.set(name, clock);
    return clock;
  }

  spanAt(second: number): Span {
    const spans = this.block(Math.floor(second / BLOCK));
    let low = 0;
    let high = spans.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (spans[middle].start <= second) low = middle;
      else high = middle - 1;
    }
    return spans[low];
  }

  /** The last change at or before `second`, if it is not days away. */
  changeUpTo(second: number): OffsetChange | undefined {
    return this.changeInto(this.spanAt(second));
  }

  /** The first change after `second`, if it is not years away. */
  changeAfter(second: number): OffsetChange | undefined {
    const after = this.spanAt(this.spanAt(second).end);
    // A block ends its last span and the next block continues it: then the change is one span further.
    return this.changeInto(after.start > second ? after : this.spanAt(after.end));
  }

  private changeInto({ start, offset }: Span): OffsetChange | undefined {
    const before = this.spanAt(start - 1).offset;
    return before === offset ? undefined : { at: start, before, after: offset };
  }

  private block(index: number): Span[] {
    return this.blocks.get(index) ?? this.build(index);
  }

  private build(index: number): Span[] {
    const spans = spansOf(this.canonical, index * BLOCK, (index + 1) * BLOCK);
    this.blocks.set(index, spans);
    return spans;
  }
}
