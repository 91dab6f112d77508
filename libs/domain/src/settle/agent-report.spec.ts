import { describe, expect, it } from '@jest/globals';
import { type AgentReport, agentVerdict, closeExecution, type ClosingFacts, expiredVerdict } from './index.js';

const NOW = 1_000_000;
const facts: ClosingFacts = {
  retryPolicy: { strategy: 'fixed', interval_seconds: 5, retry_on: ['5xx'] },
  ...{ needManual: false, attempt: 1, maxAttempts: 3, httpStatus: null, retryAfter: undefined },
};
const fail = (more: object = {}): AgentReport => ({ kind: 'fail', ...more });

describe('what an agent reports', () => {
  it.each<[string, AgentReport, Partial<ClosingFacts>, object]>([
    ['done is success', { kind: 'complete' }, {}, { status: 'SUCCESS' }],
    ['a failure is tried again, whatever retry_on says', fail(), {}, { status: 'RETRYING', retryAt: NOW + 5_000 }],
    ['not one that is hopeless', fail({ retryable: false }), {}, { status: 'FAILED', errorCode: 'AGENT_FAILED' }],
    ['not after the last attempt', fail({ errorCode: 'X' }), { attempt: 3 }, { status: 'FAILED', errorCode: 'X' }],
    ['not without a policy', fail(), { retryPolicy: { strategy: 'none' } }, { status: 'FAILED' }],
    ['a person is asked in the end', fail({ retryable: false }), { needManual: true }, { status: 'PENDING' }],
    ['not before it says', fail(), { retryAfter: '60' }, { status: 'RETRYING', retryAt: NOW + 60_000 }],
  ])('%s', (_title, report, more, expected) => {
    expect(closeExecution(agentVerdict(report), { ...facts, ...more }, NOW, 0.5)).toMatchObject(expected);
  });
});

describe('a lease that has run out', () => {
  const lease = { agent: 'a', attempt: 1 };

  it('before the attempt had to be over is a lost agent', () => {
    const verdict = expiredVerdict({ ...lease, deadlineAt: NOW + 1 }, NOW);
    expect(verdict).toMatchObject({ kind: 'failed', errorCode: 'LEASE_EXPIRED', retryable: true });
    const once = expiredVerdict({ ...lease, deadlineAt: NOW + 1, onNodeLost: 'FAIL' }, NOW);
    expect(once).toMatchObject({ errorCode: 'LEASE_EXPIRED', retryable: false });
  });

  it('at the end of the attempt is a timeout', () => {
    expect(expiredVerdict({ ...lease, deadlineAt: NOW }, NOW)).toMatchObject({ kind: 'timeout' });
  });
});
