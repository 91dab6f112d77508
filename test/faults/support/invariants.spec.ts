import { describe, expect, it } from '@jest/globals';
import {
  checkAdmission,
  checkCounters,
  checkEnds,
  checkExecutions,
  checkInTime,
  checkNotEarly,
  checkOrder,
  recoveryOf,
} from './invariants.js';
import type { AttemptRow, RunRow } from './ledger.js';
import { Findings } from './scenario.js';
import type { LoggedCall } from './target-log.js';

const TASK = { id: '7', every: 1 };
const EXEC = '01234567-89ab-7cde-8f01-23456789abcd';
const SPAN = '0123456789ab7cde';
const idOf = (second: number) => `${second}-${TASK.id}`;

const run = (second: number, fields: Partial<RunRow> = {}): RunRow => ({
  ...{ id: idOf(second), taskId: TASK.id, trigger: 'CRON', status: 'SUCCESS', skipReason: null, scheduled: second },
  ...{ startedAt: second, finishedAt: second + 1, missedFrom: null, missedCount: null, attempt: 1, maxAttempts: 3 },
  ...{ execId: EXEC, errorCode: null, result: { nth: second }, timeoutSeconds: 20 },
  ...fields,
});
const call = (second: number, fields: Partial<LoggedCall> = {}): LoggedCall => ({
  ...{ nth: second, runId: idOf(second), taskId: TASK.id, attempt: 1, span: SPAN, due: second },
  ...{ startedAt: second * 1000 + 20, endedAt: second * 1000 + 40 },
  ...fields,
});
const attempt = (second: number, fields: Partial<AttemptRow> = {}): AttemptRow => ({
  ...{ runId: idOf(second), attempt: 1, execId: EXEC, outcome: 'SUCCESS', errorCode: null, node: 'a-host-4711-abc' },
  ...{ startedAt: second, finishedAt: second + 1 },
  ...fields,
});

/** What a checker has to say. */
function found(check: (findings: Findings) => void): Pick<Findings, 'lost' | 'doubled'> & { broken: string } {
  const findings = new Findings();
  check(findings);
  const { lost, doubled, broken } = findings;
  return { lost, doubled, broken: broken.join('\n') };
}
const WHOLE = { lost: 0, doubled: 0, broken: '' };

describe('the check of admission (I1)', () => {
  const check = (runs: RunRow[]) => found((one) => checkAdmission(one, [TASK], runs, { first: 10, last: 13 }));

  it('is content with one row for each due second, or one that covers several', () => {
    expect(check([10, 11, 12, 13].map((second) => run(second)))).toEqual(WHOLE);
    expect(check([run(10), run(13, { status: 'SKIPPED', missedFrom: 11, missedCount: 3 })])).toEqual(WHOLE);
  });

  it('finds a second that was lost', () => {
    expect(check([run(10), run(11), run(13)])).toMatchObject({
      lost: 1,
      broken: expect.stringContaining('row for 12'),
    });
  });

  it('finds a second that has two rows', () => {
    const twice = [run(10), run(11), run(12), run(13), run(13, { status: 'SKIPPED', missedFrom: 12, missedCount: 2 })];
    expect(check(twice)).toMatchObject({ doubled: 2, broken: expect.stringContaining('two rows for 12, 13') });
  });

  it('finds a second that was not due, and leaves out what a person started', () => {
    const rare = { id: TASK.id, every: 5 };
    const check = (runs: RunRow[]) => found((one) => checkAdmission(one, [rare], runs, { first: 10, last: 15 }));
    expect(check([run(10), run(15), run(12, { trigger: 'API' })])).toEqual(WHOLE);
    expect(check([run(10), run(12), run(15)]).broken).toContain('not due: 12');
  });
});

describe('the check of ends (I2)', () => {
  it('finds a run that has not ended', () => {
    const check = (status: string) => found((one) => checkEnds(one, [run(10), run(11, { status })]));
    expect(check('FAILED')).toEqual(WHOLE);
    expect(check('RETRYING')).toMatchObject({ lost: 1, broken: expect.stringContaining('11-7 RETRYING') });
    expect(check('COMPLETED').lost).toBe(1);
  });

  const bounds = { overAt: 0, leaseSeconds: 5, goneAt: (pid: number) => (pid === 4711 ? 12 : undefined) };
  const inTime = (fields: Partial<AttemptRow>, overAt = 0) =>
    found((one) => checkInTime(one, [run(10)], [attempt(10, fields)], { ...bounds, overAt })).broken;

  it('finds one that was closed long after its deadline, unless nobody could', () => {
    expect(inTime({ outcome: 'TIMEOUT', finishedAt: 31 })).toBe('');
    expect(inTime({ outcome: 'TIMEOUT', finishedAt: 41 })).toContain('10-7 (TIMEOUT after 31.0 s)');
    expect(inTime({ outcome: 'TIMEOUT', finishedAt: 41 }, 40)).toBe('');
  });

  it('finds one that was taken from a lost worker long after its lease', () => {
    expect(inTime({ outcome: 'LOST', finishedAt: 18 })).toBe('');
    expect(inTime({ outcome: 'LOST', finishedAt: 28 })).toContain('10-7 (LOST after 18.0 s)');
    expect(inTime({ outcome: 'LOST', finishedAt: 26, node: 'a-host-1-abc' })).toContain('LOST');
  });
});

describe('the check of executions (I3)', () => {
  const check = (runs: RunRow[], attempts: AttemptRow[], calls: LoggedCall[]) =>
    found((one) => checkExecutions(one, runs, attempts, calls));

  it('is content with a run that was called again after it failed', () => {
    const calls = [call(10), call(10, { nth: 99, attempt: 2 })];
    const again = run(10, { attempt: 2, result: { nth: 99 } });
    expect(check([again], [attempt(10, { outcome: 'LOST' }), attempt(10, { attempt: 2 })], calls)).toEqual(WHOLE);
  });

  it('finds an attempt that was called twice', () => {
    expect(check([run(10)], [attempt(10)], [call(10), call(10, { nth: 11 })])).toMatchObject({ doubled: 1 });
  });

  it('finds more attempts than are allowed', () => {
    const calls = [call(10, { attempt: 4 })];
    expect(check([run(10, { attempt: 4 })], [attempt(10)], calls).broken).toContain('had attempt 4 of 3');
  });

  it('finds a stale result: that of an execution that was replaced', () => {
    const calls = [call(10, { nth: 1 }), call(10, { nth: 2, attempt: 2 })];
    const stale = run(10, { attempt: 2, result: { nth: 1 } });
    expect(check([stale], [attempt(10)], calls).broken).toContain('is of call 1, not of the one that decided (2)');
    const decided = [attempt(10), attempt(10, { attempt: 2 })];
    expect(check([run(10)], decided, [call(10)]).broken).toContain('2 executions of 10-7 have succeeded');
  });

  it('finds a run that another execution called than the one that decided', () => {
    const other = call(10, { span: 'fedcba9876543210' });
    expect(check([run(10)], [attempt(10)], [other]).broken).toContain('called by fedcba9876543210');
  });

  it('finds a success without a call, and a call without a run', () => {
    expect(check([run(10)], [attempt(10)], []).broken).toContain('SUCCESS without a call');
    expect(check([], [], [call(10)]).broken).toContain('runs that do not exist: 10-7');
  });
});

describe('the check of order (I4)', () => {
  const check = (calls: LoggedCall[], most = 1) => found((one) => checkOrder(one, [TASK], calls, most)).broken;

  it('finds what started before one that was due earlier', () => {
    expect(check([call(10), call(11), call(12)])).toBe('');
    expect(check([call(11), call(10, { startedAt: 12_000, endedAt: 12_010 })])).toContain('out of order at 10-7');
  });

  it('finds more at once than are allowed', () => {
    const long = call(10, { endedAt: 11_500 });
    expect(check([long, call(11)])).toContain('more than 1 live at 11-7');
    expect(check([long, call(11)], 2)).toBe('');
    expect(check([call(10, { endedAt: undefined }), call(11)])).toContain('more than 1 live');
  });
});

describe('the other checks', () => {
  it('find a slot that nobody gave back', () => {
    const state = { taskId: TASK.id, activeRuns: 0, queuedRuns: 0, nextFireAt: null };
    expect(found((one) => checkCounters(one, [state]))).toEqual(WHOLE);
    expect(found((one) => checkCounters(one, [{ ...state, activeRuns: 1 }])).broken).toContain('not zero');
  });

  it('find a call that came early', () => {
    expect(found((one) => checkNotEarly(one, [call(10), call(11, { startedAt: 10_960 })]))).toEqual(WHOLE);
    expect(found((one) => checkNotEarly(one, [call(11, { startedAt: 10_900 })])).broken).toContain('11-7');
  });

  it('recovery begins with the first of three seconds in a row that were called in time', () => {
    const seconds = [10, 11, 14, 15, 16, 17, 18];
    const calls = seconds.map((second) => call(second));
    expect(recoveryOf([TASK], calls, 10_500, 20)).toBe(3.5);
    expect(recoveryOf([TASK], calls.slice(0, 4), 10_500, 20)).toBeUndefined();
  });
});
