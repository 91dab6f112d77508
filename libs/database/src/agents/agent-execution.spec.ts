import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { keepAgentLease } from './agent-execution.js';

const SIGN = { tenantId: 'default', id: '1-1', execId: 'e', now: 0, leaseSeconds: 60 };
const refusal = (code: string) => Object.assign(new Error('refused'), { code });

describe('a sign of life', () => {
  function signs(answers: (number | Error)[]): Promise<boolean> {
    const run = () => {
      const answer = answers.shift()!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    return keepAgentLease({ driver: { run } } as unknown as Database, SIGN);
  }

  it.each([
    ['counts', [1], true],
    ['of an execution that is nobody’s any more does not', [0], false],
    ['that meets a deadlock is given again', [refusal('1213'), refusal('40P01'), 1], true],
  ])('%s', async (_, answers, isKept) => {
    expect(await signs(answers)).toBe(isKept);
    expect(answers).toEqual([]);
  });
});
