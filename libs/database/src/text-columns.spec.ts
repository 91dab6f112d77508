import { describe, expect, it } from '@jest/globals';
import { textArray, textColumns } from './text-columns.js';

/** As PostgreSQL reads it. */
function read(buffer: Buffer): (string | null)[] {
  expect([0, 4, 8, 16].map((at) => buffer.readInt32BE(at))).toEqual([1, 1, 25, 1]);
  const texts: (string | null)[] = [];
  let at = 20;
  for (let left = buffer.readInt32BE(12); left > 0; left--) {
    const bytes = buffer.readInt32BE(at);
    at += 4;
    texts.push(bytes < 0 ? null : buffer.toString('utf8', at, at + bytes));
    at += Math.max(0, bytes);
  }
  expect(at).toBe(buffer.length);
  return texts;
}

describe('textArray', () => {
  it.each([
    [[]],
    [['']],
    [['a', null, 'b']],
    [[null]],
    [['short §', '漢字', '😀', 'x'.repeat(40), 'x'.repeat(41)]],
    [['漢'.repeat(40), '漢'.repeat(41), '😀'.repeat(10_000)]],
    [[`"quoted" \\ {a,b} it's\n\t`]],
  ])('holds %j', (texts: (string | null)[]) => {
    expect(read(textArray(texts))).toEqual(texts);
  });

  it('has half a surrogate pair replaced, as PostgreSQL has no such text', () => {
    expect(read(textArray(['a\ud800']))).toEqual(['a\ufffd']);
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
    expect([id, n].map((column) => read(column!))).toEqual([
      ['a', 'b'],
      ['1', null],
    ]);
  });
});
