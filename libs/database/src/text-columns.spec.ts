import { describe, expect, it } from '@jest/globals';
import { SEPARATOR, textColumn, textColumns, withoutSeparator } from './text-columns.js';

/** As PostgreSQL reads it. */
const read = (column: string | null, rows: number): (string | null)[] => {
  const texts = column === null || column === '' ? [] : column.split(SEPARATOR).map((text) => text || null);
  return [...texts, ...Array<null>(rows - texts.length).fill(null)];
};

describe('a column of texts', () => {
  it.each([
    [[]],
    [['a']],
    [[null]],
    [[null, null, null]],
    [['a', null, 'b']],
    [[null, 'a', null]],
    [['short §', '漢字', '😀', 'x'.repeat(10_000)]],
    [[`"quoted" \\ {a,b} it's\n\t`, 'NULL', '{}']],
    [[JSON.stringify(`a${SEPARATOR}b`)]],
  ])('holds %j', (texts: (string | null)[]) => {
    expect(read(textColumn(texts), texts.length)).toEqual(texts);
  });

  it('is nothing when it is empty', () => {
    expect([textColumn([null]), textColumn([null, null]), textColumn([''])]).toEqual([null, null, null]);
  });

  it('has an empty text for none', () => {
    expect(read(textColumn(['', 'a']), 2)).toEqual([null, 'a']);
  });

  it('takes free text without what stands between two of them', () => {
    expect(withoutSeparator(`a${SEPARATOR}b${SEPARATOR}`)).toBe('a\ufffdb\ufffd');
    expect([withoutSeparator('a b'), withoutSeparator(null)]).toEqual(['a b', null]);
  });
});

describe('textColumns', () => {
  it('has the rows’ texts column by column, and nothing for a column that is empty', () => {
    const rows = [
      { id: 'a', n: 1 },
      { id: 'b', n: null },
    ];
    const [id, nothing, n] = textColumns(rows, [
      (row) => row.id,
      () => null,
      (row) => (row.n === null ? null : String(row.n)),
    ]);
    expect(nothing).toBeNull();
    expect([id, n].map((column) => read(column, 2))).toEqual([
      ['a', 'b'],
      ['1', null],
    ]);
  });
});
