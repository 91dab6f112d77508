import { describe, expect, it } from '@jest/globals';
import type { ClaimedRun, NewRun, Settlement } from '#database';
import type { FinishedExecution } from '../execute/execution.js';
import { wantsTraces } from './open-tracing.js';
import { samplerFrom } from './sampler.js';
import type { FinishedSpan } from './span.js';
import { tellingExporter } from './telling-exporter.js';
import { admitSpanId, executeSpanId } from './trace-id.js';
import { Tracing } from './tracing.js';

const KEPT = 'a'.repeat(32);
const DROPPED = 'b'.repeat(32);

function recorded() {
  const spans: FinishedSpan[] = [];
  const sink = {
    keeps: (traceId: string) => traceId !== DROPPED,
    write: (span: FinishedSpan) => void spans.push(span),
    close: () => Promise.resolve(),
  };
  return { spans, tracing: new Tracing(sink) };
}

const run = (traceId = KEPT) =>
  ({
    id: '1767225600-7',
    taskId: 7n,
    taskName: 'n',
    trigger: 'CRON',
    status: 'SCHEDULED',
    skipReason: null,
    traceId,
  }) as NewRun;
const EXEC_ID = '01234567-89ab-4def-8123-456789abcdef';

describe('Tracing', () => {
  it('hangs a run’s spans below one another by ids that follow from run and execution', () => {
    const { spans, tracing } = recorded();
    tracing.ticked('tick', [run()], { start: 1, end: 4 }, 2);
    tracing.enqueued([{ ...run(), priority: 0, dueAt: 0 }], 1, { start: 2, end: 3 }, null);
    const claimed = { ...run(), execId: EXEC_ID, attempt: 1 } as unknown as ClaimedRun;
    const call = { method: 'POST', url: 'https://user:word@host/path?token=1' };
    const outcome = { kind: 'response', status: 503, timings: { totalMs: 5 } };
    const verdict = { kind: 'failed', errorCode: 'HTTP_503', errorInfo: 'the target answered 503' };
    const times = { startedAt: 10, finishedAt: 20 };
    tracing.executed(claimed, { ...times, verdict, call, outcome } as unknown as FinishedExecution);
    const settlement = { runId: run().id, traceId: KEPT, execId: EXEC_ID, status: 'FAILED', errorInfo: 'no' };
    tracing.settled([settlement as Settlement], new Set([run().id]), { start: 20, end: 21 });

    const [tick, admit, enqueue, execute, target, settle] = spans;
    expect(spans.map(({ name }) => name)).toEqual(['tick', 'admit', 'enqueue', 'execute', 'target', 'settle']);
    expect([tick.parentId, admit.parentId]).toEqual([undefined, tick.spanId]);
    expect([admit.spanId, enqueue.parentId, execute.parentId]).toEqual(Array(3).fill(admitSpanId('1767225600-7')));
    expect([execute.spanId, target.parentId, settle.parentId]).toEqual(Array(3).fill('0123456789ab4def'));
    expect([target.start, target.end, target.error]).toEqual([15, 20, 'the target answered 503']);
    expect(target.attributes).toMatchObject({ 'url.full': 'https://host/path', 'http.response.status_code': 503 });
    expect(tracing.traceparent({ traceId: KEPT, execId: EXEC_ID })).toBe(`00-${KEPT}-${executeSpanId(EXEC_ID)}-01`);
  });

  it('writes nothing of a trace that is not kept, nor of a run whose trace is not known', () => {
    const { spans, tracing } = recorded();
    tracing.ticked('tick', [run(DROPPED)], { start: 1, end: 2 }, 2);
    tracing.admitted([run(DROPPED)], 'c'.repeat(16), { start: 1, end: 2 });
    tracing.enqueued([{ id: 'x', priority: 0, dueAt: 0 }], 1, { start: 2, end: 3 }, null);
    expect(spans).toEqual([]);
    expect(tracing.traceparent({ traceId: DROPPED, execId: EXEC_ID })).toMatch(/-00$/);
  });
});

describe('whether traces are asked for', () => {
  it.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'x' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, false],
    [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, false],
  ])('%j: %s', (env, wanted) => expect(wantsTraces(env)).toBe(wanted));
});

describe('which traces are kept', () => {
  const kept = (env: object, traceId: string) => {
    const warnings: unknown[] = [];
    const sampler = samplerFrom({ ...env }, { warn: (...said: unknown[]) => void warnings.push(said) });
    const { decision } = sampler.shouldSample({} as never, traceId, '', 0, {}, []);
    return [Number(decision) > 0, warnings.length];
  };
  const LOW = `${'0'.repeat(31)}1`;
  const HIGH = `${'0'.repeat(24)}ffffffff`;

  it.each([
    [{}, HIGH, true, 0],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, LOW, false, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, LOW, false, 0],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' }, LOW, true, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' }, HIGH, false, 0],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, HIGH, true, 1],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, HIGH, true, 1],
  ])('%j of %s: %s', (env, traceId, isKept, warnings) => expect(kept(env, traceId)).toEqual([isKept, warnings]));
});

describe('a collector that takes no spans', () => {
  it('is told of once, and once when it is back', () => {
    const said: string[] = [];
    const codes = [0, 1, 1, 0, 0];
    const log = { info: (text: string) => said.push(text), warn: (_: object, text: string) => said.push(text) };
    const exporter = { export: (_: unknown, done: (result: object) => void) => done({ code: codes.shift() }) };
    const telling = tellingExporter(exporter as never, log as never);
    for (let i = 0; i < 5; i++) telling.export([], () => undefined);
    expect(said).toEqual([
      'the collector does not take traces: they are lost until it does',
      'the collector takes traces again',
    ]);
  });
});
