import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimedRun } from '#database';
import fc from 'fast-check';
import type { Logger } from 'pino';
import { type LiveExecution, LiveExecutions } from './live-executions.js';

const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;

describe('LiveExecutions', () => {
  let live: LiveExecutions;

  beforeEach(() => {
    live = new LiveExecutions(log);
  });

  const add = (execId: string) => live.add({ id: `run of ${execId}`, execId } as ClaimedRun);
  const held = () => new Set(live.list().map(({ execId }) => execId));
  /** Begins its call, and tells how often that was broken off. */
  const call = (one: LiveExecution) => {
    const seen = { aborted: 0 };
    one.abortable(() => seen.aborted++);
    return seen;
  };

  it('are those that were added and not removed, in whatever order that happens', () => {
    const steps = fc.array(fc.record({ adds: fc.boolean(), which: fc.nat() }));
    fc.assert(
      fc.property(steps, (all) => {
        live = new LiveExecutions(log);
        const model = new Map<string, LiveExecution>();
        all.forEach(({ adds, which }, i) => {
          const [execId, one] = [...model][which % (model.size || 1)] ?? [];
          if (adds || one === undefined || execId === undefined) model.set(String(i), add(String(i)));
          else if (model.delete(execId)) live.remove(one);
          expect(live.size).toBe(model.size);
          expect(held()).toEqual(new Set(model.keys()));
        });
      }),
    );
  });

  it('are none the worse for one that is removed twice', () => {
    const [a] = [add('a'), add('b')];
    live.remove(a);
    live.remove(a);
    expect([live.size, held()]).toEqual([1, new Set(['b'])]);
  });

  it('are broken off by their execution, each once', () => {
    const [a, b] = [add('a'), add('b')];
    const [seenA, seenB] = [call(a), call(b)];
    const lost = ['a', 'an older one'].map((execId) => ({ id: a.run.id, execId }));
    live.disown(lost);
    live.disown(lost);
    live.abort(lost, 'once more');
    expect([seenA.aborted, seenB.aborted]).toEqual([1, 0]);
    expect([a.end(), b.end()]).toEqual([false, true]);
  });

  it('are broken off at once when that was asked for before there was a call', () => {
    const one = add('a');
    live.abort([{ id: one.run.id, execId: 'a' }], 'the worker is stopping');
    expect(call(one).aborted).toBe(1);
    expect(one.end()).toBe(true);
  });

  it('are left alone when their call is over', () => {
    const one = add('a');
    const seen = call(one);
    one.end();
    live.disown([{ id: one.run.id, execId: 'a' }]);
    expect(seen.aborted).toBe(0);
    expect(one.state).toBe('over');
  });
});
