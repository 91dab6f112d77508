import { describe, expect, it } from '@jest/globals';
import { parseSignal, type Signal } from './catalogue.js';
import { notifyChannel } from './postgres-signals.js';
import { partsOf } from './signals.js';

const executions = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `${i}`.padStart(64, '0'), execId: `${i}`.padStart(36, '0') }));

describe('signals', () => {
  it('fit into the 8,000 bytes of a notification, however many executions they name', () => {
    const signal: Signal = { cancel: executions(1_234) };
    const parts = partsOf(signal);
    expect(Math.max(...parts.map((part) => Buffer.byteLength(part)))).toBeLessThan(8_000);
    expect(parts.flatMap((part) => parseSignal(part)?.cancel ?? [])).toEqual(signal.cancel);
  });

  it('may say that there is something for agents', () => {
    expect(partsOf({ cancel: [], agentRuns: true }).map(parseSignal)).toEqual([{ cancel: [], agentRuns: true }]);
  });

  it('about nothing are not sent', () => {
    expect(partsOf({ cancel: [] })).toEqual([]);
  });

  it.each(['', 'no json', 'null', '[]', '{}', '{"cancel":1}', '{"cancel":[{"id":"a"}]}', '{"cancel":[null]}'])(
    'that are not understood are ignored: %s',
    (text) => {
      expect(parseSignal(text)).toBeNull();
    },
  );

  it('have a channel name that PostgreSQL takes, however long the prefix', () => {
    expect(notifyChannel('punctual')).toBe('punctual:signals');
    const long = notifyChannel('p'.repeat(200));
    expect(Buffer.byteLength(long)).toBeLessThan(64);
    expect(long).not.toBe(notifyChannel('p'.repeat(201)));
  });
});
