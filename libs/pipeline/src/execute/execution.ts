import { SecretUnavailable } from '#config';
import type { ClaimedRun, Clock, TaskDefinition } from '#database';
import {
  type CallOutcome,
  classifyCommand,
  classifyResponse,
  type Executor,
  type LogMode,
  NO_RETRIES,
  type NotifyTargets,
  type OnNodeLost,
  redactCall,
  redactOutcome,
  redactSecrets,
  redactToken,
  type RetryPolicy,
  type Verdict,
} from '#domain';
import type { TargetCall, TargetClient } from '#outbound';
import type { Callback, CallbackTokens } from '../callback/callback-tokens.js';
import type { ShellClient } from '#shell';
import type { CommandRun } from '../settle/command-record.js';
import { buildCommand } from './build-command.js';
import type { CachedDefinition } from './definition-cache.js';
import { buildCall, type PreparedRequest } from './prepared-request.js';

/** Everything about one execution once it is over. */
export interface FinishedExecution {
  run: ClaimedRun;
  startedAt: number;
  finishedAt: number;
  verdict: Verdict;
  retryPolicy: RetryPolicy;
  needManual: boolean;
  onNodeLost?: OnNodeLost;
  logMode: LogMode;
  /** Whom the task's team has named to be told. */
  notify: NotifyTargets | null;
  call: TargetCall | null;
  outcome: CallOutcome | null;
  /** It only started the work: a callback closes the run. */
  isAsync?: boolean;
  /** Whose the next attempt is, where that is not a call. */
  executor?: Executor;
  /** Set where a command was run instead of a call made. */
  command?: CommandRun;
}

/** Handed a function that breaks the execution off. */
export type Abortable = (abort: () => void) => void;

/** Carries out one claimed run: from its definition to a verdict. Never throws. */
export class Execution {
  constructor(
    private readonly client: Pick<TargetClient, 'call'>,
    private readonly clock: Clock,
    private readonly tokens: Pick<CallbackTokens, 'issue'>,
    /** Null where commands are not allowed. */
    private readonly shell: Pick<ShellClient, 'run'> | null = null,
    private readonly tracing: { traceparent(run: ClaimedRun): string } | null = null,
  ) {}

  /** @param definition none if the task is gone */
  run(run: ClaimedRun, definition: CachedDefinition | undefined, abortable: Abortable): Promise<FinishedExecution> {
    const startedAt = this.clock.now();
    if (!definition) return over(this.refuse(run, startedAt, null, 'TASK_GONE', GONE));
    const { executor, execType } = definition.task;
    if (executor === 'SHELL' && this.shell) return this.runCommand(this.shell, definition, run, startedAt, abortable);
    if (executor !== 'HTTP') return over(this.refuseForOthers(run, startedAt, definition.task));
    if (execType === 'SYNC') return this.callOrRefuse(definition, run, startedAt, abortable);
    return this.startWork(definition, run, startedAt, abortable);
  }

  /** ASYNC: the call hands the work over, with a token for the callback. */
  private async startWork(
    definition: CachedDefinition,
    run: ClaimedRun,
    startedAt: number,
    abortable: Abortable,
  ): Promise<FinishedExecution> {
    const callback = await this.tokens.issue(run, definition.task, startedAt);
    // Not ours any more, so nobody may be called; what is settled for it changes nothing.
    if (callback === null) {
      const refused = this.refuse(run, startedAt, definition.task, 'NODE_LOST', '');
      return { ...refused, verdict: { kind: 'canceled' } };
    }
    return accepted(await this.callOrRefuse(definition, run, startedAt, abortable, callback), callback.token);
  }

  private async callOrRefuse(
    definition: CachedDefinition,
    run: ClaimedRun,
    startedAt: number,
    abortable: Abortable,
    callback?: Callback,
  ): Promise<FinishedExecution> {
    const { task } = definition;
    try {
      const { prepared } = definition;
      const request = buildCall(task, prepared, run, abortable, callback);
      if (this.tracing) request.headers.traceparent = this.tracing.traceparent(run);
      const answer = await this.client.call(request);
      const { call, outcome } = withoutSecrets(request, answer, prepared, callback);
      const { retryPolicy, needManual, onNodeLost, logMode, notify } = task;
      const [finishedAt, verdict] = [this.clock.now(), classifyResponse(outcome)];
      // Each field by its name: spread out it would cost this, the busiest object of all, several times as much.
      return {
        run,
        startedAt,
        finishedAt,
        verdict,
        retryPolicy,
        needManual,
        onNodeLost,
        logMode,
        notify,
        call,
        outcome,
      };
    } catch (error) {
      if (error instanceof SecretUnavailable) return this.refuseUnopened(definition, run, startedAt, error);
      return this.refuse(run, startedAt, task, 'INVALID_TASK', (error as Error).message);
    }
  }

  private async runCommand(
    shell: Pick<ShellClient, 'run'>,
    { task }: CachedDefinition,
    run: ClaimedRun,
    startedAt: number,
    abortable: Abortable,
  ): Promise<FinishedExecution> {
    const { retryPolicy, needManual, onNodeLost, logMode, notify } = task;
    const call = buildCommand(task, run, abortable);
    const outcome = await shell.run(call);
    const command = { command: call.command, stdin: call.stdin, outcome };
    const times = { startedAt, finishedAt: this.clock.now() };
    const rules = { retryPolicy, needManual, onNodeLost, logMode, notify };
    return { run, ...times, verdict: classifyCommand(outcome), ...rules, call: null, outcome: null, command };
  }

  /** The next attempt may be a worker's that has the key, or come after somebody has given it to this one. */
  private refuseUnopened(
    { task }: CachedDefinition,
    run: ClaimedRun,
    startedAt: number,
    { message }: SecretUnavailable,
  ): FinishedExecution {
    const { retryPolicy, needManual } = task;
    const refused = this.refuse(run, startedAt, task, 'SECRET_UNAVAILABLE', message);
    return { ...refused, retryPolicy, needManual, verdict: { ...refused.verdict, retryable: true } as Verdict };
  }

  /** The task was changed after the run had been dispatched: while attempts are left, the next one is theirs who may do it. */
  private refuseForOthers(run: ClaimedRun, startedAt: number, task: TaskDefinition): FinishedExecution {
    const { executor, retryPolicy, needManual } = task;
    const refused = this.refuse(run, startedAt, task, 'UNSUPPORTED', unsupported(executor));
    return {
      ...refused,
      retryPolicy,
      needManual,
      executor,
      verdict: { ...refused.verdict, retryable: true } as Verdict,
    };
  }

  private refuse(
    run: ClaimedRun,
    startedAt: number,
    task: TaskDefinition | null,
    errorCode: string,
    errorInfo: string,
  ): FinishedExecution {
    const verdict: Verdict = { kind: 'failed', errorCode, errorInfo };
    const closed = {
      retryPolicy: NO_RETRIES,
      needManual: task?.needManual ?? false,
      logMode: 'trans_log',
      notify: task?.notify ?? null,
      call: null,
      outcome: null,
    } as const;
    return { run, startedAt, finishedAt: this.clock.now(), verdict, ...closed };
  }
}

const GONE = 'the task was deleted before its run started';

const over = (execution: FinishedExecution): Promise<FinishedExecution> => Promise.resolve(execution);

const decode = (text: string): string => Buffer.from(text, 'base64').toString('latin1');

/** What is kept of a call: neither its token nor the values of headers that are secret. */
function withoutSecrets(call: TargetCall, outcome: CallOutcome, { secretNames }: PreparedRequest, callback?: Callback) {
  const opened = callback === undefined ? { call, outcome } : withoutToken(call, outcome, callback.token);
  return secretNames.length === 0 ? opened : redactSecrets(opened, secretNames, decode);
}

/** From here on nothing knows the token any more: neither what is kept of the call nor what is said about it. */
function withoutToken(call: TargetCall, outcome: CallOutcome, token: string) {
  return { call: redactCall(call, token), outcome: redactOutcome(outcome, token, decode) };
}

/** A 2xx, with whatever body, means that the work was taken on. */
function accepted(execution: FinishedExecution, token: string): FinishedExecution {
  const { verdict } = execution;
  const kind = verdict.kind === 'success' ? ({ kind: 'accepted' } as const) : redactVerdict(verdict, token);
  return { ...execution, isAsync: true, verdict: kind };
}

function redactVerdict(verdict: Verdict, token: string): Verdict {
  return 'errorInfo' in verdict ? { ...verdict, errorInfo: redactToken(verdict.errorInfo, token) } : verdict;
}

function unsupported(executor: string): string {
  if (executor === 'SHELL') return 'this worker does not run commands: start it with SHELL_EXECUTOR=enabled';
  return `this worker does not execute ${executor} tasks`;
}
