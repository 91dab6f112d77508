import type { TaskDefinition } from './definition.js';
import type { FieldProblem } from './errors.js';
import { notifyProblems } from './notify-rules.js';
import { retryPolicyProblems } from './retry-rules.js';
import { scheduleProblems } from './schedule-rules.js';
import { targetProblems } from './target-rules.js';

export interface Deployment {
  /** Whether commands may be run at all. */
  shell: boolean;
}

/** Everything that single fields cannot say about themselves: what fits together, and what means something. */
export function taskProblems(task: TaskDefinition, deployment: Deployment): FieldProblem[] {
  return [
    ...tagProblems(task.tags),
    ...executorProblems(task, deployment),
    ...scheduleProblems(task),
    ...targetProblems(task),
    ...retryPolicyProblems(task.retryPolicyJson),
    ...notifyProblems(task.notify),
  ];
}

function tagProblems(tags: readonly string[]): FieldProblem[] {
  return new Set(tags).size === tags.length ? [] : [{ field: 'tags', message: 'must not repeat' }];
}

const SHELL_IS_OFF =
  'SHELL runs commands on the workers, which is switched off here: set SHELL_EXECUTOR=enabled for the API and for the workers that may run them';

function executorProblems(task: TaskDefinition, deployment: Deployment): FieldProblem[] {
  const found: FieldProblem[] = [];
  const problem = (field: string, message: string) => found.push({ field, message });
  const { executor, execType, targetUrl, command } = task;
  if (executor === 'HTTP' && targetUrl === null) problem('target_url', 'is required for executor HTTP');
  if (executor === 'SHELL' && command === null) problem('command', 'is required for executor SHELL');
  if (executor === 'SHELL' && !deployment.shell) problem('executor', SHELL_IS_OFF);
  if (executor !== 'SHELL' && command !== null) problem('command', 'is for executor SHELL only');
  if (execType === 'ASYNC' && executor !== 'HTTP') problem('exec_type', 'ASYNC is for executor HTTP only');
  if (execType === 'ASYNC' && task.callbackTimeoutSec === null) {
    problem('callback_timeout_sec', 'is required for exec_type ASYNC');
  }
  return found;
}
