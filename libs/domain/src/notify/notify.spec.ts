import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RUN_STATUSES, type RunStatus } from '../run/statuses.js';
import { ALERT_KINDS, alertId, type AlertKind, alertsOf } from './alert.js';
import { nextTry } from './next-try.js';
import { noticeOf, statusUntilTold } from './notice.js';
import { liveKeys, ROTATION_MS, rotated } from './secret-keys.js';

const BOTH = { success: { url: 'https://a/ok' }, error: { url: 'https://a/bad', method: 'PUT' as const } };

describe('noticeOf', () => {
  it.each<[RunStatus, string | undefined]>([
    ['SUCCESS', 'success'],
    ['FAILED', 'error'],
    ['TIMEOUT', 'error'],
    ['PENDING', 'error'],
    ['CANCELED', 'error'],
    ['SKIPPED', undefined],
    ['RETRYING', undefined],
    ['MANUALLY_PROCESSED', undefined],
  ])('%s is told as %s', (status, kind) => expect(noticeOf(BOTH, status)?.kind).toBe(kind));

  it('goes where the task says, by POST unless it says otherwise', () => {
    expect(noticeOf(BOTH, 'SUCCESS')).toEqual({ kind: 'success', url: 'https://a/ok', method: 'POST' });
    expect(noticeOf(BOTH, 'FAILED')).toEqual({ kind: 'error', url: 'https://a/bad', method: 'PUT' });
  });

  it('tells nobody who did not ask', () => {
    for (const status of RUN_STATUSES) expect(noticeOf(null, status)).toBeNull();
    expect(noticeOf({ error: BOTH.error }, 'SUCCESS')).toBeNull();
    expect(noticeOf({ success: BOTH.success }, 'FAILED')).toBeNull();
  });
});

describe('statusUntilTold', () => {
  it('holds back a success that somebody is to be told of, and nothing else', () => {
    expect(statusUntilTold(BOTH, 'SUCCESS')).toBe('COMPLETED');
    expect(statusUntilTold({ error: BOTH.error }, 'SUCCESS')).toBe('SUCCESS');
    expect(statusUntilTold(null, 'SUCCESS')).toBe('SUCCESS');
    for (const status of RUN_STATUSES.filter((one) => one !== 'SUCCESS')) {
      expect(statusUntilTold(BOTH, status)).toBe(status);
    }
  });
});

describe('nextTry', () => {
  const NOW = Date.parse('2026-01-01T00:00:00Z');
  const failed = (attempts: number, retryAfter?: string, httpStatus: number | null = 500) => ({
    attempts,
    retryAfter,
    httpStatus,
  });
  const after = (attempts: number, retryAfter?: string, random = 0) => {
    const verdict = nextTry(failed(attempts, retryAfter), [5, 30], NOW, random);
    return verdict.kind === 'again' ? (verdict.at - NOW) / 1000 : verdict.kind;
  };

  it('waits longer each time, and gives up after the last wait', () => {
    expect([1, 2, 3, 4].map((attempts) => after(attempts))).toEqual([5, 30, 'give_up', 'give_up']);
    expect(nextTry(failed(1), [], NOW, 0)).toEqual({ kind: 'give_up' });
  });

  it('spreads receivers that were away together', () => expect(after(2, undefined, 0.5)).toBe(31.5));

  it.each([
    ['10', 10],
    ['1', 5],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60],
    ['999999999', 86_400],
    ['soon', 5],
  ])('Retry-After: %s makes it %d seconds', (header, expected) => expect(after(1, header)).toBe(expected));

  it('does not ask somebody again who is gone for good', () => {
    expect(nextTry(failed(1, '5', 410), [5, 30], NOW, 0)).toEqual({ kind: 'give_up' });
  });

  it('never comes sooner than planned, and always comes to an end', () => {
    const waits = fc.array(fc.nat(100_000), { maxLength: 20 });
    const facts = fc.tuple(waits, fc.integer({ min: 1, max: 30 }), fc.option(fc.nat(200_000), { nil: undefined }));
    fc.assert(
      fc.property(facts, fc.double({ min: 0, max: 0.999, noNaN: true }), ([given, attempts, asked], random) => {
        const verdict = nextTry(failed(attempts, asked?.toString()), given, NOW, random);
        if (verdict.kind === 'give_up') return attempts > given.length;
        return attempts <= given.length && verdict.at - NOW >= given[attempts - 1] * 1000;
      }),
    );
  });
});

describe('secret keys', () => {
  const NOW = Date.parse('2026-01-01T00:00:00Z');

  it('the one that is replaced signs beside the new one for a day', () => {
    const keys = rotated(rotated([], 'a', NOW), 'b', NOW);
    expect(liveKeys(keys, NOW)).toEqual(['b', 'a']);
    expect(liveKeys(keys, NOW + ROTATION_MS - 1)).toEqual(['b', 'a']);
    expect(liveKeys(keys, NOW + ROTATION_MS)).toEqual(['b']);
  });

  it('there are never more than two', () => {
    const keys = rotated(rotated(rotated([], 'a', NOW), 'b', NOW), 'c', NOW + 1000);
    expect(liveKeys(keys, NOW + 1000)).toEqual(['c', 'b']);
  });
});

describe('alerts', () => {
  const rules = { on: ALERT_KINDS, latenessMs: 60_000 };

  it.each<[RunStatus, number | undefined, AlertKind[]]>([
    ['FAILED', undefined, ['failure']],
    ['TIMEOUT', 10, ['failure']],
    ['PENDING', undefined, ['pending']],
    ['SUCCESS', 60_000, []],
    ['SUCCESS', 60_001, ['lateness']],
    ['FAILED', 90_000, ['failure', 'lateness']],
    ['RETRYING', undefined, []],
    ['CANCELED', undefined, []],
  ])('%s, %s ms late: %j', (status, lateMs, expected) => expect(alertsOf(rules, { status, lateMs })).toEqual(expected));

  it('only those that were asked for', () => {
    expect(alertsOf({ ...rules, on: ['pending'] }, { status: 'FAILED', lateMs: 90_000 })).toEqual([]);
  });

  it('have one id for a kind, a task and a minute, which fits and sorts by time', () => {
    const at = Date.parse('2026-01-01T00:00:30Z');
    expect(alertId('failure', 7n, at)).toBe(alertId('failure', 7n, at + 29_999));
    const others = [alertId('failure', 7n, at + 30_000), alertId('failure', 8n, at), alertId('pending', 7n, at)];
    expect(new Set([alertId('failure', 7n, at), ...others]).size).toBe(4);
    expect(alertId('failure', 7n, at + 30_000) > alertId('pending', 7n, at)).toBe(true);
    expect(alertId('lateness', 2n ** 63n - 1n, at).length).toBeLessThanOrEqual(40);
  });
});
