import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStack, type Stack } from '#testing';
import { fuzz, isWell, reportLines, residentBytes } from '../../libs/testing/src/fuzz/index.js';
import { FleetProcess } from './support/fleet.js';

/** A short one of what `npm run test:fuzz` does at length, with the same requests every time. */
const REQUESTS = 1_500;
const SEED = 20_261_116;
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;

describe('the API under requests made from its OpenAPI document', () => {
  let stack: Stack;
  let api: FleetProcess;

  beforeAll(async () => {
    stack = await openStack();
    api = await FleetProcess.start('api', stack, { SCHEDULER: 'disabled', SECRET_KEYS: KEYS, LOG_LEVEL: 'error' });
    await api.ready();
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  it('never answers 5xx, hangs, shows its inside or keeps what it was sent', async () => {
    const memory = () => residentBytes(api.child.pid!);
    const options = { base: api.url, seed: SEED, requests: REQUESTS, concurrency: 4, timeoutMs: 60_000, memory };
    const report = await fuzz(options);
    const lines = reportLines(report).join('\n');
    expect([isWell(report), lines]).toEqual([true, lines]);
    // It has got behind the checks, too: most operations have said yes to something.
    const succeeded = [...report.byStatus].filter(([status]) => status >= 200 && status < 300);
    expect(succeeded.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(REQUESTS / 20);
    expect(await api.status('/readyz')).toBe(200);
    expect(api.output).not.toContain('"level":"error"');
  });
});
