import type { Checkup } from '#database';
import { describeProblem, describeRepair } from '#domain';

export interface Report {
  repair: boolean;
  tasks: number;
  runs: number;
  /** Tasks with something wrong. */
  found: Checkup[];
  /** Tasks that could not be counted, and why. */
  failed: { taskId: bigint; reason: string }[];
}

const SHOWN = 50;

/** What was looked at, what was wrong, what was done about it. */
export function reportLines(report: Report): string[] {
  const { repair, tasks, runs, found, failed } = report;
  const lines = found.flatMap((checkup) => linesOf(checkup, repair));
  return [
    `checked ${tasks} tasks and ${runs} unfinished runs`,
    ...lines.slice(0, SHOWN),
    ...(lines.length > SHOWN ? [`  … and ${lines.length - SHOWN} more`] : []),
    ...failed.slice(0, SHOWN).map(({ taskId, reason }) => `✗ task ${taskId} could not be checked: ${reason}`),
    verdictOf(report),
  ];
}

/** 0: well, or well again. 1: something is wrong still. */
export const exitCodeOf = ({ repair, found, failed }: Report): number =>
  failed.length > 0 || (found.length > 0 && !repair) ? 1 : 0;

function linesOf({ taskId, problems, released }: Checkup, repair: boolean): string[] {
  const lines = problems.map((problem) => {
    return `  task ${taskId} ${describeProblem(problem)}${repair ? `: ${describeRepair(problem)}` : ''}`;
  });
  return released.length > 0
    ? [...lines, `  task ${taskId} released ${released.map((run) => run.id).join(', ')}`]
    : lines;
}

function verdictOf({ repair, found, failed }: Report): string {
  const problems = found.reduce((sum, checkup) => sum + checkup.problems.length, 0);
  const what = `${counted(problems, 'problem')} in ${counted(found.length, 'task')}`;
  if (failed.length > 0) return `✗ ${counted(failed.length, 'task')} could not be checked, ${what}`;
  if (problems === 0) return '✓ counters: nothing is wrong';
  return repair ? `✓ ${what}, repaired` : `✗ ${what}; without --dry-run they are repaired`;
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
