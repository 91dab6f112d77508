import type { Pass } from './rotate.js';

export interface Report {
  write: boolean;
  /** The name of the first key. */
  key: string;
  first: Pass;
  last: Pass;
}

const SHOWN = 20;

/** What was found, what was done, what is left. */
export function reportLines({ write, key, first, last }: Report): string[] {
  const keys = [...first.byKey].map(([id, count]) => `  ${counted(count, 'secret')} sealed with key "${id}"`);
  const lost = last.lost.map(({ taskId, reason }) => `✗ task ${taskId}: ${reason}`);
  return [
    `looked at ${counted(first.tasks, 'task')} with headers or notices`,
    ...keys,
    ...(first.unsealed > 0 ? [`  ${counted(first.unsealed, 'header')} not sealed at all`] : []),
    ...lost.slice(0, SHOWN),
    ...(lost.length > SHOWN ? [`  … and ${lost.length - SHOWN} more`] : []),
    ...(write && first.written > 0 ? [`  ${counted(first.written, 'task')} sealed anew`] : []),
    verdictOf({ write, key, first, last }),
  ];
}

export const exitCodeOf = ({ last }: Report): number => (isDone(last) ? 0 : 1);

const isDone = ({ left, lost }: Pass): boolean => left === 0 && lost.length === 0;

function verdictOf({ write, key, last }: Report): string {
  if (isDone(last)) return `✓ everything is sealed with key "${key}"`;
  if (last.lost.length > 0) {
    return `✗ ${counted(last.lost.length, 'secret')} cannot be opened: add the key that is missing, or give those tasks their secrets again`;
  }
  const what = `${counted(last.left, 'task')} not sealed with key "${key}"`;
  return write
    ? `✗ ${what}: they were being changed meanwhile, run this again`
    : `✗ ${what}; without --check they are sealed`;
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
