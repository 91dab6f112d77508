import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FINAL_STATUSES, isFinal, LATE_TRANSITIONS, RUN_STATUSES, RUN_TRANSITIONS, SLOT_STATUSES } from './statuses.js';

const FILE = path.resolve(import.meta.dirname, '../../../../docs/run-states.md');
const text = readFileSync(FILE, 'utf8');
const OUTSIDE = '[*]';

function arrowsOf(markdown: string, nth: number): [from: string, to: string][] {
  const drawing = [...markdown.matchAll(/```mermaid\nstateDiagram-v2\n(.*?)```/gs)][nth]?.[1] ?? '';
  const lines = drawing.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, from, to] = /^\s+(\S+) --> (\S+)$/.exec(line) ?? [];
    if (from === undefined) throw new Error(`docs/run-states.md has a line that is no arrow: ${line}`);
    return [from, to];
  });
}

/** The rows of the table under "What each state means". */
function statesOf(markdown: string): { state: string; slot: boolean; final: boolean }[] {
  const [, section] = markdown.split('## What each state means');
  return section
    .split('##', 1)[0]
    .split('\n')
    .filter((line) => /^\| [A-Z]/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, state, , slot, final]) => ({ state, slot: slot === 'yes', final: final === 'yes' }));
}

describe('docs/run-states.md', () => {
  const arrows = arrowsOf(text, 0);
  const inside = arrows.filter((arrow) => !arrow.includes(OUTSIDE));

  it('draws every transition of the code, once, and no other', () => {
    const allowed = RUN_STATUSES.flatMap((from) => RUN_TRANSITIONS[from].map((to) => `${from} --> ${to}`));
    expect(inside.map(([from, to]) => `${from} --> ${to}`).sort()).toEqual([...allowed].sort());
  });

  it('draws what a late callback may do, and nothing else', () => {
    const allowed = Object.entries(LATE_TRANSITIONS).flatMap(([from, to]) => to.map((one) => `${from} --> ${one}`));
    expect(arrowsOf(text, 1).map(([from, to]) => `${from} --> ${to}`)).toEqual(allowed);
  });

  it('lets runs begin where admitting lets them begin, and end in every final state', () => {
    const begins = arrows.filter(([from]) => from === OUTSIDE).map(([, to]) => to);
    const ends = arrows.filter(([, to]) => to === OUTSIDE).map(([from]) => from);
    expect(begins).toEqual(['SCHEDULED', 'QUEUED', 'SKIPPED']);
    expect(ends).toEqual(FINAL_STATUSES);
  });

  it('explains every state, and says which hold a slot and which are final', () => {
    const slots: readonly string[] = SLOT_STATUSES;
    const expected = RUN_STATUSES.map((state) => ({ state, slot: slots.includes(state), final: isFinal(state) }));
    expect(statesOf(text)).toEqual(expected);
  });
});
