import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SETTINGS } from './settings.js';

const FILE = path.resolve(import.meta.dirname, '../../../docs/configuration.md');

/** A cell is code when all of it is; otherwise its text as it stands. */
const plain = (cell: string) => /^`([^`]*)`$/.exec(cell)?.[1] ?? cell;

function rowsOf(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

describe('docs/configuration.md', () => {
  const [head, rule, ...rows] = rowsOf(readFileSync(FILE, 'utf8'));

  it('has one table of names, defaults, allowed values and meanings', () => {
    expect(head).toEqual(['name', 'default', 'allowed', 'meaning']);
    expect(rule.every((cell) => /^-+$/.test(cell))).toBe(true);
  });

  it('says of every setting exactly what the code says, in the same order', () => {
    const documented = rows.map(([name, fallback, allowed, meaning]) => [
      plain(name),
      plain(fallback),
      allowed,
      meaning,
    ]);
    const settings = Object.values(SETTINGS);
    expect(documented).toEqual(
      settings.map(({ name, fallback, allowed, meaning }) => [name, fallback, allowed, meaning]),
    );
  });
});
