import { describe, expect, it } from '@jest/globals';
import type { ClaimedRun } from '#database';
import { type CallOutcome, classifyResponse, type LogMode, NO_RETRIES } from '#domain';
import type { FinishedExecution } from '../execute/execution.js';
import { settlementOf } from './settlement-of.js';

const RUN = { id: '1763251200-7', attempt: 1, maxAttempts: 1, execId: 'e' } as ClaimedRun;

function settled(logMode: LogMode, status: number) {
  const outcome: CallOutcome = {
    kind: 'response',
    status,
    headers: { 'content-type': 'application/json', 'set-cookie': 'hush' },
    body: '{"answer":42}',
    bodyEncoding: 'text',
    bodyBytes: 13,
    truncated: false,
    timings: { totalMs: 12, headersMs: 10 },
  };
  const call = {
    ...{ method: 'POST', url: 'https://h/x', timeoutMs: 1_000, body: '{"question":"?"}' },
    headers: { authorization: 'hush', 'x-api-key': 'hush', 'x-seen': 'yes' },
  };
  const verdict = classifyResponse(outcome);
  const times = { startedAt: 1_000, finishedAt: 1_012 };
  const task = { retryPolicy: NO_RETRIES, needManual: false, logMode, notify: null };
  const execution: FinishedExecution = { run: RUN, ...times, verdict, ...task, call, outcome };
  return settlementOf(execution, 'node', 0);
}

describe('settlementOf', () => {
  it.each<[LogMode, number]>([
    ['trans_log', 200],
    ['trans_log', 500],
    ['none', 500],
  ])('%s keeps all of a %i', (logMode, status) => {
    expect(settled(logMode, status)).toMatchObject({
      withoutAttempt: false,
      httpStatus: status,
      result: { answer: 42 },
      request: { method: 'POST', url: 'https://h/x', headers: { 'x-seen': 'yes' }, body: '{"question":"?"}' },
      response: { status, body: '{"answer":42}', body_encoding: 'text', body_bytes: 13 },
    });
  });

  it.each([200, 500])('trigger_log keeps how a %i went, without headers, bodies and result', (status) => {
    const { request, response, ...rest } = settled('trigger_log', status);
    expect(rest).toMatchObject({ withoutAttempt: false, httpStatus: status, result: null });
    expect(rest.errorCode).toBe(status === 200 ? null : 'HTTP_500');
    expect(request).toEqual({ method: 'POST', url: 'https://h/x' });
    expect(response).toEqual({ status, body_bytes: 13, truncated: false, timings: { total_ms: 12, headers_ms: 10 } });
  });

  it('none keeps nothing of a success but the run itself', () => {
    expect(settled('none', 204)).toMatchObject({
      ...{ status: 'SUCCESS', withoutAttempt: true, httpStatus: 204, result: null },
    });
  });

  it.each<LogMode>(['none', 'trigger_log', 'trans_log'])('%s keeps no secret', (logMode) => {
    for (const status of [200, 500]) expect(JSON.stringify(settled(logMode, status), bigints)).not.toContain('hush');
  });
});

const bigints = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
