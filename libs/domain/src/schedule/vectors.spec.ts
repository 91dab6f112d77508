import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CronError, parseSchedule } from './index.js';

interface Vector {
  readonly id: string;
  readonly expr: string;
  readonly zone: string;
  readonly from: string;
  readonly expect: 'error' | readonly string[];
}

const file = new URL('../../../../../shared/data/cron-vectors.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Vector[] };

const fires = ({ expr, zone, from }: Vector): string[] =>
  parseSchedule(expr, zone)
    .between(Date.parse(from) / 1000, Infinity, 5)
    .map((second) => new Date(second * 1000).toISOString().replace('.000Z', 'Z'));

describe('the shared cron cases', () => {
  it.each(cases.filter((vector) => vector.expect !== 'error'))('$id: $expr in $zone', (vector) => {
    expect(fires(vector)).toEqual(vector.expect);
  });

  it.each(cases.filter((vector) => vector.expect === 'error'))('$id is refused', (vector) => {
    expect(() => fires(vector)).toThrow(CronError);
  });
});
