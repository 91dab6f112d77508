import { describe, expect, it } from '@jest/globals';
import {
  FINAL_STATUSES,
  isFinal,
  mayBecome,
  RUN_STATUSES,
  RUN_TRANSITIONS,
  type RunStatus,
  SLOT_STATUSES,
  UNFINISHED_STATUSES,
} from './statuses.js';

const next = (status: RunStatus): readonly RunStatus[] => RUN_TRANSITIONS[status];

/** Everything that can be reached from a status, itself left out unless a way leads back. */
function reachable(from: RunStatus): Set<RunStatus> {
  const seen = new Set<RunStatus>();
  const open = [...next(from)];
  for (let status = open.pop(); status !== undefined; status = open.pop()) {
    if (seen.has(status)) continue;
    seen.add(status);
    open.push(...next(status));
  }
  return seen;
}

describe('run statuses', () => {
  it('name no state twice among what may follow, and lead nowhere but to states', () => {
    for (const status of RUN_STATUSES) {
      expect(new Set(next(status)).size).toBe(next(status).length);
      expect(RUN_STATUSES).toEqual(expect.arrayContaining([...next(status)]));
    }
  });

  it('are final exactly when nothing follows', () => {
    expect(FINAL_STATUSES).toEqual(['SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUALLY_PROCESSED']);
    for (const status of RUN_STATUSES) expect(isFinal(status)).toBe(FINAL_STATUSES.includes(status));
  });

  it.each(RUN_STATUSES.filter((status) => !isFinal(status)))('let a run that is %s come to an end', (status) => {
    expect([...reachable(status)].some(isFinal)).toBe(true);
  });

  it('let a new run reach every other state', () => {
    const others = RUN_STATUSES.filter((status) => status !== 'SCHEDULED');
    expect([...reachable('SCHEDULED')]).toEqual(expect.arrayContaining(others));
  });

  it('never let a run wait in line again once it has been started', () => {
    expect(reachable('RUNNING')).not.toContain('QUEUED');
    expect(reachable('RUNNING')).not.toContain('SCHEDULED');
  });

  it('hold a slot only while unfinished; of those, QUEUED alone holds none', () => {
    expect(UNFINISHED_STATUSES.filter((status) => !SLOT_STATUSES.includes(status as never))).toEqual(['QUEUED']);
    expect(UNFINISHED_STATUSES).toEqual(expect.arrayContaining([...SLOT_STATUSES]));
    expect(UNFINISHED_STATUSES.filter(isFinal)).toEqual([]);
  });

  it.each<[RunStatus, RunStatus, boolean]>([
    ['SCHEDULED', 'RUNNING', true],
    ['QUEUED', 'RUNNING', false],
    ['RETRYING', 'RUNNING', true],
    ['RUNNING', 'SUCCESS', true],
    ['SUCCESS', 'RUNNING', false],
    ['CANCELED', 'SUCCESS', false],
    ['PENDING', 'MANUALLY_PROCESSED', true],
  ])('answer whether %s may become %s: %s', (from, to, expected) => {
    expect(mayBecome(from, to)).toBe(expected);
  });
});
