import type { ClaimedRun, Clock } from '#database';
import {
  type CallOutcome,
  classifyCommand,
  classifyResponse,
  type LogMode,
  NO_RETRIES,
  type RetryPolicy,
  type Verdict,
} from '#domain';
import type { TargetCall, TargetClient } from '#outbound';
import type { ShellClient } from '#shell';
import type { CommandRun } from '../settle/command-record.js';
import { buildCommand } from './build-command.js';
import type { CachedDefinition, DefinitionCache } from './definition-cache.js';
import { buildCall } from './prepared-request.js';

/** Everything about one execution once it is over. */
export interface FinishedExecution {
  run: ClaimedRun;
  startedAt: number;
  finishedAt: number;
  verdict: Verdict;
  retryPolicy: RetryPolicy;
  needManual: boolean;
  logMode: LogMode;
  call: TargetCall | null;
  outcome: CallOutcome | null;
  /** Set where a command was run instead of a call made. */
  command?: CommandRun;
}

/** Handed a function that breaks the execution off. */
export type Abortable = (abort: () => void) => void;

/** Carries out one claimed run: from its definition to a verdict. Never throws. */
export class Execution {
  constructor(
    private readonly definitions: DefinitionCache,
    private readonly client: Pick<TargetClient, 'call'>,
    private readonly clock: Clock,
    /** Null where commands are not allowed. */
    private readonly shell: Pick<ShellClient, 'run'> | null = null,
  ) {}

  async run(run: ClaimedRun, abortable: Abortable): Promise<FinishedExecution> {
    const startedAt = this.clock.now();
    const definition = this.definitions.get(run.taskId);
    if (!definition) return this.refuse(run, startedAt, 'TASK_GONE', 'the task was deleted before its run started');
    const { executor, execType } = definition.task;
    if (executor === 'SHELL' && this.shell) return this.runCommand(this.shell, definition, run, startedAt, abortable);
    if (executor !== 'HTTP' || execType !== 'SYNC') {
      return this.refuse(run, startedAt, 'UNSUPPORTED', unsupported(executor, execType));
    }
    try {
      return await this.callTarget(definition, run, startedAt, abortable);
    } catch (error) {
      return this.refuse(run, startedAt, 'INVALID_TASK', (error as Error).message);
    }
  }

  private async callTarget(
    { task, prepared }: CachedDefinition,
    run: ClaimedRun,
    startedAt: number,
    abortable: Abortable,
  ): Promise<FinishedExecution> {
    const { retryPolicy, needManual, logMode } = task;
    const call = buildCall(task, prepared, run, abortable);
    const outcome = await this.client.call(call);
    const verdict = classifyResponse(outcome);
    return { run, startedAt, finishedAt: this.clock.now(), verdict, retryPolicy, needManual, logMode, call, outcome };
  }

  private async runCommand(
    shell: Pick<ShellClient, 'run'>,
    { task }: CachedDefinition,
    run: ClaimedRun,
    startedAt: number,
    abortable: Abortable,
  ): Promise<FinishedExecution> {
    const { retryPolicy, needManual, logMode } = task;
    const call = buildCommand(task, run, abortable);
    const outcome = await shell.run(call);
    const command = { command: call.command, stdin: call.stdin, outcome };
    const times = { startedAt, finishedAt: this.clock.now() };
    const nothing = { call: null, outcome: null };
    return { run, ...times, verdict: classifyCommand(outcome), retryPolicy, needManual, logMode, ...nothing, command };
  }

  private refuse(run: ClaimedRun, startedAt: number, errorCode: string, errorInfo: string): FinishedExecution {
    const verdict: Verdict = { kind: 'failed', errorCode, errorInfo };
    const closed = {
      retryPolicy: NO_RETRIES,
      needManual: false,
      logMode: 'trans_log',
      call: null,
      outcome: null,
    } as const;
    return { run, startedAt, finishedAt: this.clock.now(), verdict, ...closed };
  }
}

function unsupported(executor: string, execType: string): string {
  if (executor === 'SHELL') return 'this worker does not run commands: start it with SHELL_EXECUTOR=enabled';
  return `this worker does not execute ${executor} ${execType} tasks`;
}
