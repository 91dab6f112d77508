import { describe, expect, it } from '@jest/globals';
import { classifyCommand, type CommandEnd, closeExecution, type ClosingFacts } from './index.js';

const outcome = (end: CommandEnd, stderr = '') => ({
  ...end,
  stdout: { text: '', bytes: 0 },
  stderr: { text: stderr, bytes: stderr.length },
  totalMs: 1_000.4,
});

describe('classifyCommand', () => {
  it('exit code 0 is success', () => {
    expect(classifyCommand(outcome({ kind: 'exit', code: 0 }, 'a warning'))).toEqual({ kind: 'success' });
  });

  it.each<[string, CommandEnd, string, object]>([
    ['another exit code', { kind: 'exit', code: 3 }, '', { errorCode: 'EXIT_3' }],
    [
      'an exit code with its last words',
      { kind: 'exit', code: 1 },
      'first\n no such file \n\n',
      { errorInfo: 'the command ended with exit code 1: no such file' },
    ],
    ['a signal', { kind: 'signal', signal: 'SIGKILL' }, '', { errorCode: 'SIGNAL_KILL' }],
    ['one that never started', { kind: 'error', message: 'no bash' }, '', { errorCode: 'COMMAND_NOT_STARTED' }],
    ['one that took too long', { kind: 'timeout' }, '', { kind: 'timeout' }],
    ['one that was broken off', { kind: 'aborted' }, '', { kind: 'canceled' }],
  ])('%s', (_title, end, stderr, expected) => expect(classifyCommand(outcome(end, stderr))).toMatchObject(expected));
});

describe('what a failed command makes of its run', () => {
  const facts: ClosingFacts = {
    retryPolicy: { strategy: 'fixed', interval_seconds: 5 },
    ...{ needManual: false, attempt: 1, maxAttempts: 3, httpStatus: null, retryAfter: undefined },
  };
  const closes = (end: CommandEnd, more: Partial<ClosingFacts> = {}) =>
    closeExecution(classifyCommand(outcome(end)), { ...facts, ...more }, 0, 0.5).status;
  const only = (...retry_on: string[]) => ({ retryPolicy: { ...facts.retryPolicy, retry_on } });

  it.each<[string, string, CommandEnd, Partial<ClosingFacts>]>([
    ['any exit code is tried again', 'RETRYING', { kind: 'exit', code: 1 }, {}],
    ['a signal is tried again', 'RETRYING', { kind: 'signal', signal: 'SIGSEGV' }, {}],
    ['a timeout is tried again', 'RETRYING', { kind: 'timeout' }, {}],
    ['not without a policy', 'FAILED', { kind: 'exit', code: 1 }, { retryPolicy: { strategy: 'none' } }],
    ['not after the last attempt', 'FAILED', { kind: 'exit', code: 1 }, { attempt: 3 }],
    ['not an exit code, where retry_on says what is', 'FAILED', { kind: 'exit', code: 1 }, only('timeout')],
    ['a timeout, where retry_on names it', 'RETRYING', { kind: 'timeout' }, only('timeout')],
    ['a timeout, where retry_on does not name it', 'TIMEOUT', { kind: 'timeout' }, only('5xx')],
  ])('%s: %s', (_title, expected, end, more) => expect(closes(end, more)).toBe(expected));
});
