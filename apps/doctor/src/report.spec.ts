import { describe, expect, it } from '@jest/globals';
import { readArguments } from './arguments.js';
import { progressEvery } from './progress.js';
import { exitCodeOf, type Report, reportLines } from './report.js';

const report = (fields: Partial<Report> = {}): Report => ({
  ...{ repair: true, tasks: 1000, runs: 20, found: [], failed: [] },
  ...fields,
});
const found = [{ taskId: 7n, problems: [{ kind: 'waiting' as const, runs: 2 }], released: [] }];
const failed = [{ taskId: 8n, reason: 'too slow' }];

describe('the doctor’s report', () => {
  it('is two lines when nothing is wrong', () => {
    expect(reportLines(report())).toEqual([
      'checked 1000 tasks and 20 unfinished runs',
      '✓ counters: nothing is wrong',
    ]);
    expect(exitCodeOf(report())).toBe(0);
  });

  it('says what was wrong and what was done', () => {
    const released = [{ id: 'r1', priority: 0, dueAt: 0 }];
    expect(reportLines(report({ found: [{ ...found[0], released }] }))).toEqual([
      'checked 1000 tasks and 20 unfinished runs',
      '  task 7 has room for 2 runs that wait: released',
      '  task 7 released r1',
      '✓ 1 problem in 1 task, repaired',
    ]);
    expect(exitCodeOf(report({ found }))).toBe(0);
  });

  it('only says what is wrong when it may not repair', () => {
    expect(reportLines(report({ found, repair: false }))).toEqual([
      'checked 1000 tasks and 20 unfinished runs',
      '  task 7 has room for 2 runs that wait',
      '✗ 1 problem in 1 task; without --dry-run they are repaired',
    ]);
    expect(exitCodeOf(report({ found, repair: false }))).toBe(1);
  });

  it('does not call it well when a task could not be checked', () => {
    expect(reportLines(report({ failed })).join('\n')).toContain('✗ task 8 could not be checked: too slow');
    expect(reportLines(report({ failed })).at(-1)).toMatch(/^✗/);
    expect(exitCodeOf(report({ failed }))).toBe(1);
  });

  it('shows the first fifty of many', () => {
    const many = Array.from({ length: 80 }, () => found[0]);
    expect(reportLines(report({ found: many }))).toHaveLength(53);
  });
});

describe('the doctor’s arguments', () => {
  it.each([
    [[], { kind: 'check', repair: true }],
    [['--dry-run'], { kind: 'check', repair: false }],
    [['--dry-run', '-h'], { kind: 'help' }],
    [['--dry-run', 'x'], { kind: 'unknown', argument: 'x' }],
  ])('%j', (given, wish) => expect(readArguments(given)).toEqual(wish));
});

describe('the doctor’s progress', () => {
  it('is said every two seconds, not sooner', () => {
    let now = 0;
    const said: string[] = [];
    const progress = progressEvery(
      (line) => said.push(line),
      () => now,
    );
    for (; now < 6_000; now += 500) progress(`${now}`);
    expect(said).toEqual(['› 2000', '› 4000']);
  });
});
