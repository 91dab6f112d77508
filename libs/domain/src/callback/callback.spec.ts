import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LATE_TRANSITIONS, mayBecome, RUN_STATUSES, type RunStatus } from '../run/statuses.js';
import type { CallOutcome } from '../settle/call-outcome.js';
import { expiryOf, firstDeadlines } from './deadlines.js';
import { judgeCallback } from './judge-callback.js';
import { lateEffect, type LateFacts } from './late-effect.js';
import { canonicalText, verdictOfCallback } from './outcome.js';
import { redactCall, redactOutcome, redactToken, redactTokenIn } from './redact-token.js';

const TOKEN = 'k3yOfTheAttempt-0123456789_abcdefghijABCDEF';

describe('judgeCallback', () => {
  const facts = (status: RunStatus, outcomeHash: string | null = null, execId = 'e1') => ({
    status,
    execId,
    attempt: { execId: 'e1', outcomeHash },
  });

  it.each(['RUNNING', 'WAITING_CALLBACK'] as const)('takes the first outcome of a run that is %s', (status) => {
    expect(judgeCallback(facts(status), 'h')).toBe('close');
  });

  it.each(RUN_STATUSES.filter((status) => !mayBecome(status, 'TIMEOUT')))('is late when the run is %s', (status) => {
    expect(judgeCallback(facts(status), 'h')).toBe('late');
  });

  it.each(RUN_STATUSES)('knows a repetition and a contradiction, also when the run is %s by now', (status) => {
    expect(judgeCallback(facts(status, 'h'), 'h')).toBe('duplicate');
    expect(judgeCallback(facts(status, 'other'), 'h')).toBe('conflict');
  });

  it('is late when a newer attempt is under way', () => {
    expect(judgeCallback(facts('WAITING_CALLBACK', null, 'e2'), 'h')).toBe('late');
  });
});

describe('lateEffect', () => {
  const facts = (some: Partial<LateFacts>): LateFacts => ({
    ...{ policy: 'ACCEPT', outcome: 'SUCCESS', status: 'TIMEOUT', isLastAttempt: true, hasChangedRun: false },
    ...some,
  });

  it.each<[LateFacts['policy'], LateFacts['outcome'], RunStatus, RunStatus | null]>([
    ['ACCEPT', 'SUCCESS', 'TIMEOUT', 'SUCCESS'],
    ['ACCEPT', 'FAILURE', 'TIMEOUT', 'FAILED'],
    ['ACCEPT', 'SUCCESS', 'FAILED', 'SUCCESS'],
    ['ACCEPT', 'FAILURE', 'FAILED', null],
    ['ACCEPT', 'SUCCESS', 'RETRYING', 'SUCCESS'],
    ['ACCEPT', 'FAILURE', 'RETRYING', null],
    ['ACCEPT', 'SUCCESS', 'PENDING', 'SUCCESS'],
    ['ACCEPT', 'SUCCESS', 'CANCELED', null],
    ['ACCEPT', 'SUCCESS', 'MANUALLY_PROCESSED', null],
    ['PENDING', 'SUCCESS', 'TIMEOUT', 'PENDING'],
    ['PENDING', 'FAILURE', 'TIMEOUT', 'PENDING'],
    ['PENDING', 'SUCCESS', 'RETRYING', 'PENDING'],
    ['PENDING', 'FAILURE', 'RETRYING', null],
    ['PENDING', 'SUCCESS', 'PENDING', null],
    ['PENDING', 'SUCCESS', 'CANCELED', null],
    ['RECORD', 'SUCCESS', 'TIMEOUT', null],
  ])('%s: a %s that finds the run %s makes it %s', (policy, outcome, status, to) => {
    const effect = lateEffect(facts({ policy, outcome, status }));
    expect(effect).toEqual(to === null ? { kind: 'record' } : { kind: 'move', from: status, to });
  });

  it('changes nothing beside a newer attempt, nor a second time', () => {
    expect(lateEffect(facts({ isLastAttempt: false }))).toEqual({ kind: 'record' });
    expect(lateEffect(facts({ hasChangedRun: true }))).toEqual({ kind: 'record' });
  });

  it('moves runs only as the drawing says', () => {
    const any = fc.record({
      policy: fc.constantFrom('RECORD' as const, 'ACCEPT' as const, 'PENDING' as const),
      outcome: fc.constantFrom('SUCCESS' as const, 'FAILURE' as const),
      status: fc.constantFrom(...RUN_STATUSES),
      isLastAttempt: fc.boolean(),
      hasChangedRun: fc.boolean(),
    });
    fc.assert(
      fc.property(any, (some) => {
        const effect = lateEffect(some);
        if (effect.kind === 'move') expect(LATE_TRANSITIONS[effect.from]).toContain(effect.to);
      }),
    );
  });
});

describe('deadlines', () => {
  it('begin with the attempt', () => {
    const limits = { callbackTimeoutSec: 60, heartbeatTimeoutSec: 5 };
    expect(firstDeadlines(limits, 1_000)).toEqual({ deadlineAt: 61_000, heartbeatDeadlineAt: 6_000 });
    expect(firstDeadlines({ ...limits, heartbeatTimeoutSec: null }, 1_000).heartbeatDeadlineAt).toBeNull();
  });

  it.each<[number, number | null, number, string | null]>([
    [60_000, null, 59_999, null],
    [60_000, null, 60_000, 'CALLBACK_TIMEOUT'],
    [60_000, 5_000, 4_999, null],
    [60_000, 5_000, 5_000, 'HEARTBEAT_TIMEOUT'],
    [60_000, 5_000, 60_000, 'CALLBACK_TIMEOUT'],
  ])('hard %i, sliding %p, at %i: %p', (deadlineAt, heartbeatDeadlineAt, now, expected) => {
    expect(expiryOf({ deadlineAt, heartbeatDeadlineAt }, now)?.errorCode ?? null).toBe(expected);
  });
});

describe('what a callback says', () => {
  it('is the same in any order of keys, and another in anything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const text = (result: unknown) => canonicalText({ status: 'SUCCESS', result });
        expect(text({ x: a, y: b })).toBe(text({ y: b, x: a }));
        expect(text(a) === text(b)).toBe(text([a]) === text([b]));
      }),
    );
    expect(canonicalText({ status: 'SUCCESS' })).not.toBe(canonicalText({ status: 'FAILURE' }));
    expect(canonicalText({ status: 'SUCCESS', result: 1 })).not.toBe(canonicalText({ status: 'SUCCESS', result: '1' }));
  });

  it('is tried again unless it says otherwise', () => {
    expect(verdictOfCallback({ status: 'FAILURE' })).toMatchObject({ kind: 'failed', retryable: true });
    expect(verdictOfCallback({ status: 'FAILURE', retryable: false })).toMatchObject({ retryable: false });
  });
});

describe('a token', () => {
  it('is taken out of any text, also where the text was cut off inside of it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 6, max: TOKEN.length }), (before, after, length) => {
        expect(redactToken(`${before}${TOKEN}${after}${TOKEN}`, TOKEN)).not.toContain(TOKEN.slice(0, 12));
        expect(redactToken(before + TOKEN.slice(0, length), TOKEN)).not.toContain(TOKEN.slice(0, 6));
      }),
    );
  });

  it('is taken out of keys and values, and nothing else changes', () => {
    const value = { [TOKEN]: [`a${TOKEN}b`, 1, null], other: 'x' };
    expect(redactTokenIn(value, TOKEN)).toEqual({ '[redacted]': ['a[redacted]b', 1, null], other: 'x' });
  });

  it('is taken out of the call that carried it', () => {
    const call = { url: `https://h/x?t=${TOKEN}`, headers: { 'x-a': `t ${TOKEN}` }, body: `{"t":"${TOKEN}"}` };
    expect(JSON.stringify(redactCall(call, TOKEN))).not.toContain(TOKEN);
  });

  it.each<[string, CallOutcome]>([
    ['a text', response(`you said ${TOKEN}`, 'text')],
    ['a text that was cut off', response(`you said ${TOKEN.slice(0, 40)}`, 'text')],
    ['something that is no text', response(Buffer.from(`\u0000\u0001${TOKEN}`).toString('base64'), 'base64')],
    ['an error', { kind: 'error', code: 'X', message: `bad header ${TOKEN}`, timings: { totalMs: 1 } }],
  ])('is taken out of %s that came back', (_what, outcome) => {
    const kept = JSON.stringify(
      redactOutcome(outcome, TOKEN, (text) => Buffer.from(text, 'base64').toString('latin1')),
    );
    expect(kept).not.toContain(TOKEN.slice(0, 12));
    expect(Buffer.from(kept).toString()).not.toContain(Buffer.from(TOKEN).toString('base64').slice(4, 30));
  });
});

function response(body: string, bodyEncoding: 'text' | 'base64'): CallOutcome {
  const timings = { totalMs: 1, headersMs: 1 };
  const headers = { 'x-echo': TOKEN, 'x-list': ['a', TOKEN] };
  return { kind: 'response', status: 202, headers, body, bodyEncoding, bodyBytes: 9, truncated: false, timings };
}
