import { describe, expect, it } from '@jest/globals';
import type { CallableRun, CallbackToken } from '#database';
import { NO_RETRIES } from '#domain';
import { settlementOfCallback } from './settlement-of-callback.js';

const RUN: CallableRun = {
  ...{
    id: '1-1',
    tenantId: 'default',
    taskId: 1n,
    status: 'WAITING_CALLBACK',
    execId: 'e',
    attempt: 1,
    tickAttempt: 1,
  },
  ...{
    maxAttempts: 1,
    node: 'n',
    priority: 0,
    trigger: 'CRON',
    traceId: 'f'.repeat(32),
    scheduledTime: 1_000,
    tokens: [],
  },
  ...{ deadlineAt: null, heartbeatDeadlineAt: null, callbackMethod: 'POST', heartbeatTimeoutSec: null },
  ...{ latePolicy: 'RECORD', retryPolicy: NO_RETRIES, needManual: false, logMode: 'trans_log', notify: null },
};
const OWNER: CallbackToken = {
  ...{ attempt: 1, execId: 'e', tokenHash: 'h', outcome: null, outcomeHash: null, startedAt: 61_000, httpStatus: 202 },
};

describe('what a callback writes', () => {
  it.each<[string, Partial<CallableRun>, Partial<CallbackToken>, number | undefined]>([
    ['a tick’s first attempt', {}, {}, 60_000],
    ['a later attempt', { attempt: 2 }, { attempt: 2 }, undefined],
    ['a run somebody asked for', { trigger: 'API' }, {}, undefined],
  ])('says how late %s began', (_, fields, token, lateMs) => {
    const received = { run: { ...RUN, ...fields }, owner: { ...OWNER, ...token }, hash: 'x' };
    expect(settlementOfCallback({ ...received, said: { status: 'SUCCESS' } }, 70_000, 0).lateMs).toBe(lateMs);
  });

  it('is the outcome it was told, from the state the run is in', () => {
    const said = { status: 'FAILURE', errorInfo: 'no disk' } as const;
    expect(settlementOfCallback({ run: RUN, owner: OWNER, said, hash: 'x' }, 70_000, 0)).toMatchObject({
      ...{ from: 'WAITING_CALLBACK', status: 'FAILED', outcome: 'FAILED', errorInfo: 'no disk', finishedAt: 70_000 },
      callback: { outcome: 'FAILURE', hash: 'x' },
    });
  });
});
