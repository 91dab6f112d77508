import type { ClaimedRun, NewRun, Settlement } from '#database';
import type { RunToDispatch } from '#domain';
import type { FinishedExecution } from '../execute/execution.js';
import type { SpanSink } from './span.js';
import { admitSpanId, executeSpanId, newSpanId, traceparent } from './trace-id.js';

export interface RequestFacts {
  traceId: string;
  spanId: string;
  /** The caller's span. */
  parentId?: string;
  method: string;
  route: string;
  status: number;
  start: number;
  end: number;
}

interface Interval {
  start: number;
  end: number;
}

type AdmittedRun = Pick<NewRun, 'id' | 'traceId' | 'taskId' | 'taskName' | 'trigger' | 'status' | 'skipReason'>;

/**
 * Writes down what happened to runs as spans, after it has happened: nothing waits for it. A run's spans share its `trace_id`;
 * what hangs below what follows from the ids of run and execution (trace-id.ts), so that nothing has to travel with the run.
 */
export class Tracing {
  constructor(private readonly sink: SpanSink) {}

  request({ method, route, status, ...span }: RequestFacts): void {
    if (!this.sink.keeps(span.traceId)) return;
    this.sink.write({
      ...{ ...span, name: `${method} ${route}`, kind: 'server', error: status >= 500 ? `answered ${status}` : null },
      attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
    });
  }

  /** Each run of a tick, or of a backfill's step, begins a trace of its own. */
  ticked(name: 'tick' | 'backfill', runs: readonly AdmittedRun[], { start, end }: Interval, committedAt: number): void {
    for (const run of runs) {
      if (!this.sink.keeps(run.traceId)) continue;
      const spanId = newSpanId();
      this.sink.write({ name, traceId: run.traceId, spanId, start, end, attributes: attributesOf(run) });
      this.admit(run, spanId, { start, end: committedAt });
    }
  }

  /** Runs that a request has asked for. */
  admitted(runs: readonly AdmittedRun[], parentId: string | undefined, interval: Interval): void {
    for (const run of runs) if (this.sink.keeps(run.traceId)) this.admit(run, parentId, interval);
  }

  /** Runs whose trace is known; the others are found in it again when they are executed. */
  enqueued(runs: readonly RunToDispatch[], dispatches: number, interval: Interval, error: string | null): void {
    for (const { id, traceId } of runs) {
      if (traceId === undefined || !this.sink.keeps(traceId)) continue;
      const attributes = { 'punctual.run_id': id, 'punctual.dispatches': dispatches };
      this.sink.write({ ...interval, name: 'enqueue', traceId, parentId: admitSpanId(id), attributes, error });
    }
  }

  executed(run: ClaimedRun, execution: FinishedExecution): void {
    if (!this.sink.keeps(run.traceId)) return;
    const { startedAt: start, finishedAt: end, verdict, call, outcome } = execution;
    const spanId = executeSpanId(run.execId);
    const error = 'errorInfo' in verdict ? verdict.errorInfo : null;
    const span = { traceId: run.traceId, start, end, error };
    const attributes = { ...attributesOf(run), 'punctual.attempt': run.attempt, 'punctual.outcome': verdict.kind };
    this.sink.write({ ...span, name: 'execute', spanId, parentId: admitSpanId(run.id), attributes });
    if (call === null || outcome === null) return;
    const callStart = Math.max(start, end - outcome.timings.totalMs);
    this.sink.write({ ...span, ...targetSpan(call, outcome), parentId: spanId, start: callStart });
  }

  /** Executions that one transaction has closed. */
  settled(settlements: readonly Settlement[], settled: ReadonlySet<string>, interval: Interval): void {
    for (const { runId, traceId, execId, status, errorInfo } of settlements) {
      if (traceId === undefined || !settled.has(runId) || !this.sink.keeps(traceId)) continue;
      const attributes = { 'punctual.run_id': runId, 'punctual.status': status, 'punctual.group': settlements.length };
      const error = status === 'FAILED' || status === 'TIMEOUT' ? (errorInfo ?? status) : null;
      this.sink.write({ ...interval, name: 'settle', traceId, parentId: executeSpanId(execId), attributes, error });
    }
  }

  /** What the target of an execution is told. */
  traceparent({ traceId, execId }: Pick<ClaimedRun, 'traceId' | 'execId'>): string {
    return traceparent(traceId, execId, this.sink.keeps(traceId));
  }

  close(): Promise<void> {
    return this.sink.close();
  }

  private admit(run: AdmittedRun, parentId: string | undefined, interval: Interval): void {
    const attributes = {
      ...attributesOf(run),
      'punctual.status': run.status,
      'punctual.skip_reason': run.skipReason ?? undefined,
    };
    this.sink.write({
      ...{ ...interval, name: 'admit', traceId: run.traceId, spanId: admitSpanId(run.id), parentId, attributes },
    });
  }
}

const attributesOf = ({ id, taskId, taskName, trigger }: Pick<NewRun, 'id' | 'taskId' | 'taskName' | 'trigger'>) => ({
  'punctual.run_id': id,
  'punctual.task_id': String(taskId),
  'punctual.task_name': taskName,
  'punctual.trigger': trigger,
});

type Called = Pick<FinishedExecution, 'call' | 'outcome'>;

/** Without query and fragment: people put secrets there. */
function targetSpan({ method, url }: NonNullable<Called['call']>, outcome: NonNullable<Called['outcome']>) {
  const status = outcome.kind === 'response' ? outcome.status : undefined;
  return {
    name: 'target',
    kind: 'client' as const,
    attributes: {
      'http.request.method': method,
      'url.full': url.split(/[?#]/, 1)[0].replace(/\/\/[^/@]*@/, '//'),
      'http.response.status_code': status,
    },
  };
}
