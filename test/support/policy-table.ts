import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '#testing';
import type { Policies } from '../model/reference-task.js';

/** What becomes of a tick, in the words of docs/policies.md: `runs`, `replaces`, `waits` or why it is skipped, and a `tick_attempt` above 1. */
export interface PolicyRow {
  overlap: Policies['overlapAction'];
  failure: Policies['failureAction'];
  concurrency: Policies['concurrencyPolicy'];
  beside: string;
  besideFull: string;
  afterFailure: string;
  afterFailureFull: string;
}

const COLUMNS = ['overlap', 'failure', 'concurrency', 'beside', 'besideFull', 'afterFailure', 'afterFailureFull'];

/** The table of all combinations, as docs/policies.md has it. */
export function policyTable(): PolicyRow[] {
  const text = readFileSync(path.join(checkout, 'docs/policies.md'), 'utf8');
  const [, section] = /\n## Every combination\n([^]*?)\n## /.exec(text) ?? [];
  const lines = (section ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => {
    const cells = line.split('|').slice(1, -1);
    return Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i].trim()])) as unknown as PolicyRow;
  });
}
