import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PipelineMetrics } from './pipeline-metrics.js';

const FILE = path.resolve(import.meta.dirname, '../../../../docs/metrics.md');

interface Registered {
  name: string;
  type: string;
  labelNames: string[];
  help: string;
}

function rowsOf(markdown: string): string[][] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|'));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** Everything a process of any kind may show. */
function registered(): Registered[] {
  const metrics = new PipelineMetrics({ now: () => Date.now() });
  metrics.watchSlots(1, () => 0);
  metrics.watchTasks(() => Promise.resolve(0));
  metrics.watchOutbox(() => Promise.resolve({ pending: 0, oldestSeconds: 0 }));
  metrics.watchOldest(() => Promise.resolve({ run: 0, archived: 0 }));
  const silent = () => new Promise<never>(() => undefined);
  metrics.watchServers({ database: silent, queue: silent });
  metrics.watchQueues(silent);
  metrics.watchNodes(() => Promise.resolve([]));
  return metrics.list() as unknown as Registered[];
}

describe('docs/metrics.md', () => {
  const [head, , ...rows] = rowsOf(readFileSync(FILE, 'utf8'));

  it('has one table of names, types, labels and meanings', () => {
    expect(head).toEqual(['name', 'type', 'labels', 'meaning']);
  });

  it('says of every metric exactly what the code says, in the same order', () => {
    const code = (word: string) => `\`${word}\``;
    expect(rows).toEqual(
      registered().map(({ name, type, labelNames, help }) => [code(name), type, labelNames.map(code).join(', '), help]),
    );
  });
});
