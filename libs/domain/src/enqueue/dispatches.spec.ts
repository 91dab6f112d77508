import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Dispatch, dispatchesOf, type RunToDispatch } from './dispatches.js';

const T0 = Date.parse('2026-01-01T00:00:00Z');
const runs = (count: number, some: Partial<RunToDispatch> = {}): RunToDispatch[] =>
  Array.from({ length: count }, (_, i) => ({ id: `r${i}`, priority: 0, dueAt: T0, ...some }));

function dispatch(given: readonly RunToDispatch[], size = 50, share = 16, now = T0): Dispatch[] {
  let count = 0;
  return dispatchesOf(given, { size, share }, now, (second) => `${second}-x-${count++}`);
}

const sizesOf = (given: number, size?: number, share?: number) =>
  dispatch(runs(given), size, share).map((one) => one.runs.length);

const manyRuns = fc
  .array(fc.record({ priority: fc.nat(9), dueAt: fc.integer({ min: T0, max: T0 + 3_000 }) }), { maxLength: 200 })
  .map((some) => some.map((run, i) => ({ ...run, id: `r${i}` })));
const sizing = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 20 }));

describe('dispatchesOf', () => {
  it('makes nothing of nothing', () => {
    expect(dispatch([])).toEqual([]);
  });

  it('gives few runs a dispatch each, so that the fleet shares them', () => {
    expect(sizesOf(3)).toEqual([1, 1, 1]);
    expect(sizesOf(16)).toEqual(Array(16).fill(1));
  });

  it('lets dispatches grow with the batch, up to their size', () => {
    expect(sizesOf(64)).toEqual(Array(16).fill(4));
    expect(sizesOf(1_000)).toEqual(Array(20).fill(50));
  });

  it('puts what is left over into a last, smaller one', () => {
    expect(sizesOf(5, 2, 1)).toEqual([2, 2, 1]);
  });

  it('keeps seconds and priorities apart', () => {
    const given: RunToDispatch[] = [
      { id: 'a', priority: 0, dueAt: T0 },
      { id: 'b', priority: 9, dueAt: T0 },
      { id: 'c', priority: 0, dueAt: T0 + 1_000 },
      { id: 'd', priority: 0, dueAt: T0 + 999 },
    ];
    expect(dispatch(given, 50, 1).map((one) => one.runs)).toEqual([['a', 'd'], ['b'], ['c']]);
  });

  it('lets what was due in many seconds before travel together', () => {
    const given = Array.from({ length: 100 }, (_, i) => ({ id: `r${i}`, priority: 0, dueAt: T0 - i * 1_000 }));
    const made = dispatch(given, 50, 1, T0 + 300);
    expect(made.map((one) => one.runs.length)).toEqual([50, 50]);
    expect(made[0].id).toBe(`${T0 / 1000}-x-0`);
  });

  it('keys the id by the due second', () => {
    expect(dispatch(runs(1, { dueAt: T0 + 2_345 }))[0].id).toBe(`${T0 / 1000 + 2}-x-0`);
  });

  it('is due when the last of its runs is, so that none starts early', () => {
    const given: RunToDispatch[] = [
      { id: 'a', priority: 0, dueAt: T0 + 100 },
      { id: 'b', priority: 0, dueAt: T0 + 900 },
      { id: 'c', priority: 0, dueAt: T0 + 500 },
    ];
    expect(dispatch(given, 50, 1)).toEqual([
      { id: `${T0 / 1000}-x-0`, priority: 0, dueAt: T0 + 900, runs: ['a', 'b', 'c'] },
    ]);
  });

  it('carries every run exactly once, in order, and never more than its size', () => {
    fc.assert(
      fc.property(manyRuns, sizing, (given, [size, share]) => {
        const made = dispatch(given, size, share);
        expect(made.flatMap((one) => one.runs).sort()).toEqual(given.map((run) => run.id).sort());
        expect(new Set(made.map((one) => one.id)).size).toBe(made.length);
        for (const one of made) {
          expect(one.runs.length).toBeGreaterThan(0);
          expect(one.runs.length).toBeLessThanOrEqual(size);
          expect(one.runs).toEqual(given.map((run) => run.id).filter((id) => one.runs.includes(id)));
        }
      }),
    );
  });

  it('holds only runs of its own second and priority, and starts none before it is due', () => {
    fc.assert(
      fc.property(manyRuns, sizing, (given, [size, share]) => {
        const byId = new Map(given.map((run) => [run.id, run]));
        for (const one of dispatch(given, size, share)) {
          for (const run of one.runs.map((id) => byId.get(id)!)) {
            expect(run.priority).toBe(one.priority);
            expect(Math.floor(run.dueAt / 1000)).toBe(Math.floor(one.dueAt / 1000));
            expect(run.dueAt).toBeLessThanOrEqual(one.dueAt);
          }
        }
      }),
    );
  });
});
