import { describe, expect, it } from '@jest/globals';
import { readClaimedRun } from './claim-runs.js';

const SEPARATOR = '\u001f';
const told = (name: string, payload = '', limit = '0') =>
  [
    ...['1794903447-12', 'default', '12', 'exec', 'trace', 'CRON', '2026-11-17 08:17:27', '2026-11-17 08:17:26.95'],
    ...['2', '1', '3', '9', '4', limit, payload, name],
  ].join(SEPARATOR);

describe('readClaimedRun', () => {
  it('takes apart what a claim tells of a run', () => {
    expect(readClaimedRun(told('report', '{"a":[1]}', '30'))).toEqual({
      ...{ id: '1794903447-12', tenantId: 'default', taskId: 12n, taskName: 'report', taskVersion: 4, trigger: 'CRON' },
      ...{ scheduledTime: Date.parse('2026-11-17T08:17:27Z'), queuedAt: Date.parse('2026-11-17T08:17:26.950Z') },
      ...{ attempt: 2, tickAttempt: 1, maxAttempts: 3, priority: 9, execId: 'exec', traceId: 'trace' },
      ...{ attemptTimeoutSeconds: 30, payload: { a: [1] } },
    });
  });

  it('has nothing where nothing was given', () => {
    expect(readClaimedRun(told('report'))).toMatchObject({ attemptTimeoutSeconds: null, payload: null });
    expect(readClaimedRun(told('report', 'null'))).toMatchObject({ payload: null });
    expect(readClaimedRun(told('report', '""'))).toMatchObject({ payload: '' });
  });

  it('leaves a name as it is, whatever it holds', () => {
    for (const name of [`a${SEPARATOR}b`, SEPARATOR, `${SEPARATOR}${SEPARATOR}x`, '漢字 "§"']) {
      expect(readClaimedRun(told(name)).taskName).toBe(name);
    }
  });
});
