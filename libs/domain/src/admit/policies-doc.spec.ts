import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CONCURRENCY_POLICIES, FAILURE_ACTIONS, OVERLAP_ACTIONS } from '../task/words.js';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** The sentences under each heading, as `heading: sentence`. */
function sentencesOf(text: string, heading: RegExp, sentence: RegExp): string[] {
  let current = '';
  return text.split('\n').flatMap((line) => {
    current = heading.exec(line)?.[1] ?? current;
    const found = sentence.exec(line)?.[1];
    return found === undefined ? [] : [`${current}: ${found}`];
  });
}

// Of the tables with one column: that of all combinations is read by its own test.
const told = sentencesOf(read('docs/policies.md'), /^## (.+)$/, /^\| (?!-|behaviour )([^|]*?) +\|$/);
const shown = sentencesOf(read('test/integration/policies.spec.ts'), /^describe\('(.+)', /, /^ {2}it\('(.+)', async/);

describe('docs/policies.md', () => {
  it('tells what the tests show, sentence by sentence', () => {
    expect(told).toEqual(shown);
    expect(new Set(told).size).toBe(told.length);
  });

  it.each([
    ['overlap_action', OVERLAP_ACTIONS],
    ['failure_action', FAILURE_ACTIONS],
    ['concurrency_policy', CONCURRENCY_POLICIES],
  ])('names every %s', (heading, words) => {
    const named = words.filter((word) => told.some((sentence) => sentence.startsWith(`${heading}: ${word} `)));
    expect(named).toEqual(words);
  });
});
