import type { ClaimedRun, Clock } from '#database';
import {
  type CallOutcome,
  classifyResponse,
  type LogMode,
  NO_RETRIES,
  type NotifyTargets,
  type RetryPolicy,
  type Verdict,
} from '#domain';
import type { TargetCall, TargetClient } from '#outbound';
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
  /** Whom the task's team has named to be told. */
  notify: NotifyTargets | null;
  call: TargetCall | null;
  outcome: CallOutcome | null;
}

/** Handed a function that breaks the execution off. */
export type Abortable = (abort: () => void) => void;

/** Carries out one claimed run: from its definition to a verdict. Never throws. */
export class Execution {
  constructor(
    private readonly definitions: DefinitionCache,
    private readonly client: Pick<TargetClient, 'call'>,
    private readonly clock: Clock,
  ) {}

  async run(run: ClaimedRun, abortable: Abortable): Promise<FinishedExecution> {
    const startedAt = this.clock.now();
    const definition = this.definitions.get(run.taskId);
    if (!definition) return this.refuse(run, startedAt, 'TASK_GONE', 'the task was deleted before its run started');
    const { executor, execType } = definition.task;
    if (executor !== 'HTTP' || execType !== 'SYNC') {
      return this.refuse(run, startedAt, 'UNSUPPORTED', `this worker does not execute ${executor} ${execType} tasks`);
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
    const { retryPolicy, needManual, logMode, notify } = task;
    const call = buildCall(task, prepared, run, abortable);
    const outcome = await this.client.call(call);
    const verdict = classifyResponse(outcome);
    const finishedAt = this.clock.now();
    return { run, startedAt, finishedAt, verdict, retryPolicy, needManual, logMode, notify, call, outcome };
  }

  private refuse(run: ClaimedRun, startedAt: number, errorCode: string, errorInfo: string): FinishedExecution {
    const verdict: Verdict = { kind: 'failed', errorCode, errorInfo };
    const closed = {
      retryPolicy: NO_RETRIES,
      needManual: false,
      logMode: 'trans_log',
      notify: this.definitions.get(run.taskId)?.task.notify ?? null,
      call: null,
      outcome: null,
    } as const;
    return { run, startedAt, finishedAt: this.clock.now(), verdict, ...closed };
  }
}
