import { describe, expect, it } from '@jest/globals';
import { describeProblem, describeRepair } from './describe-problem.js';
import { diagnose, type Problem, PROBLEM_KINDS, type TaskRecount } from './diagnose.js';

const task = (fields: Partial<TaskRecount> = {}): TaskRecount => ({
  deleted: false,
  maxConcurrency: 1,
  concurrencyPolicy: 'QUEUE',
  stored: { active: 1, queued: 2 },
  counted: { active: 1, queued: 2 },
  asleep: [],
  remembersWrong: false,
  ...fields,
});
const NONE = { active: 0, queued: 0 };

describe('diagnose', () => {
  it('finds nothing where the counters are what the runs are', () => {
    expect(diagnose(task())).toEqual([]);
    expect(diagnose(task({ stored: NONE, counted: NONE }))).toEqual([]);
    expect(diagnose(task({ deleted: true, stored: NONE, counted: NONE }))).toEqual([]);
  });

  it.each([
    [
      'counters that differ from the runs, up or down',
      { stored: { active: 3, queued: 0 }, counted: { active: 1, queued: 0 } },
      [{ kind: 'counters', was: { active: 3, queued: 0 }, is: { active: 1, queued: 0 } }],
    ],
    ['runs nobody would look at', { asleep: ['a'] }, [{ kind: 'no_alarm', runs: ['a'] }]],
    ['runs that wait though there is room', { maxConcurrency: 2 }, [{ kind: 'waiting', runs: 1 }]],
    ['runs that wait where there is no limit', { maxConcurrency: 0 }, [{ kind: 'waiting', runs: 2 }]],
    ['a memory of the wrong run', { remembersWrong: true }, [{ kind: 'failure_facts' }]],
    [
      'room that only the right counters show',
      { stored: { active: 1, queued: 1 }, counted: { active: 0, queued: 1 } },
      [
        { kind: 'counters', was: { active: 1, queued: 1 }, is: { active: 0, queued: 1 } },
        { kind: 'waiting', runs: 1 },
      ],
    ],
    [
      'what a deleted task has left, whether it is counted or not',
      { deleted: true, asleep: ['a'] },
      [
        { kind: 'deleted_task', runs: 3 },
        { kind: 'counters', was: { active: 1, queued: 2 }, is: NONE },
      ],
    ],
    ['runs a deleted task does not know of', { deleted: true, stored: NONE }, [{ kind: 'deleted_task', runs: 3 }]],
  ] as [string, Partial<TaskRecount>, Problem[]][])('finds %s', (_, fields, problems) =>
    expect(diagnose(task(fields))).toEqual(problems),
  );
});

describe('the words for a problem', () => {
  it('name the old and the new numbers', () => {
    const problem: Problem = { kind: 'counters', was: { active: 3, queued: 0 }, is: { active: 1, queued: 2 } };
    expect(describeProblem(problem)).toBe('counts 3 active and 0 queued, its runs are 1 active and 2 queued');
  });

  it('name the first few runs only', () => {
    const problem: Problem = { kind: 'no_alarm', runs: ['a', 'b', 'c', 'd'] };
    expect(describeProblem(problem)).toBe('has 4 runs that nobody would look at: a, b, c, …');
  });

  it('say of every kind what is wrong and how it is put right', () => {
    const sample = { was: NONE, is: NONE };
    for (const kind of PROBLEM_KINDS) {
      const problem = { kind, runs: kind === 'no_alarm' ? ['a'] : 1, ...sample } as Problem;
      expect([kind, describeProblem(problem), describeRepair(problem)]).not.toContain('');
    }
  });
});
