import type { Counters, Problem } from './diagnose.js';

const count = (runs: number): string => `${runs} ${runs === 1 ? 'run' : 'runs'}`;
const both = ({ active, queued }: Counters): string => `${active} active and ${queued} queued`;

/** A problem in words, for people. */
export function describeProblem(problem: Problem): string {
  switch (problem.kind) {
    case 'no_state':
      return 'has no row in task_states: it would never fire';
    case 'deleted_task':
      return `is deleted, but has ${count(problem.runs)} that did not end`;
    case 'counters':
      return `counts ${both(problem.was)}, its runs are ${both(problem.is)}`;
    case 'no_alarm':
      return `has ${count(problem.runs.length)} that nobody would look at: ${some(problem.runs)}`;
    case 'waiting':
      return `has room for ${count(problem.runs)} that ${problem.runs === 1 ? 'waits' : 'wait'}`;
    case 'failure_facts':
      return 'remembers a last ended run that was never executed, or is not its own';
  }
}

/** How it was put right, for people. */
export function describeRepair({ kind }: Problem): string {
  const repairs: Record<Problem['kind'], string> = {
    no_state: 'given one, planned from now',
    deleted_task: 'cancelled',
    counters: 'corrected',
    no_alarm: 'alarm set',
    waiting: 'released',
    failure_facts: 'corrected',
  };
  return repairs[kind];
}

const some = (ids: readonly string[]): string => ids.slice(0, 3).join(', ') + (ids.length > 3 ? ', …' : '');
