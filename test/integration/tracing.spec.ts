import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createLogger } from '#config';
import { EnqueueRuns, openPlatform, type Platform, PLATFORM, waitUntilReady } from '#pipeline';
import { eventually, insertTask, openStack, secondOf, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { configFor, type RunningWorker, startWorker, tickOn } from '../support/product.js';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code?: number };
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}
interface Export {
  resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Span[] }[] }[];
}

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

describe('traces', () => {
  let stack: Stack;
  let target: TargetStub;
  let collector: TargetStub;
  let running: { stop(): Promise<void> }[] = [];

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/refuse', { status: 503 });
    collector = await TargetStub.start();
    collector.on('*', { body: {} });
  });

  afterEach(async () => {
    for (const one of running.reverse()) await one.stop();
    running = [];
    for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
    collector.clear();
    target.clear();
  });

  afterAll(async () => {
    await collector?.close();
    await target?.close();
    await stack?.close();
  });

  function askForTraces(env: Record<string, string> = {}): void {
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      ...env,
    });
  }

  async function start(): Promise<{ api: RunningApi; worker: RunningWorker }> {
    const api = await startApi(stack);
    running.push(api);
    const worker = await startWorker(stack);
    running.push(worker);
    return { api, worker };
  }

  const create = async (api: RunningApi, fields: object) => {
    const name = `traced-${randomUUID()}`;
    const { status, data } = await api.http.post<{ id: string }>('/tasks', taskBody({ name, ...fields }));
    expect(status).toBe(201);
    return data;
  };
  const exported = (): Export[] => collector.callsTo('/v1/traces').map(({ body }) => JSON.parse(body) as Export);
  const spansOf = (traceId: string): Span[] =>
    exported()
      .flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
      .flatMap(({ spans }) => spans)
      .filter((span) => span.traceId === traceId);
  const traceWith = (traceId: string, names: readonly string[]) =>
    eventually(
      () => {
        const spans = spansOf(traceId);
        return Promise.resolve(names.every((name) => spans.some((span) => span.name === name)) && spans);
      },
      `the collector has ${names.join(', ')} of ${traceId}`,
    );
  const named = (spans: Span[], name: string) => spans.find((span) => span.name === name)!;
  /** From a span up to where its trace begins. */
  const wayUp = (spans: Span[], name: string): string[] => {
    const parent = spans.find(({ spanId }) => spanId === named(spans, name).parentSpanId);
    return parent ? [name, ...wayUp(spans, parent.name)] : [name];
  };
  const valueOf = ({ attributes }: Pick<Span, 'attributes'>, key: string) => {
    const value = attributes.find((attribute) => attribute.key === key)?.value;
    return value?.stringValue ?? value?.intValue;
  };

  it('a due second is one trace: tick, admit, enqueue, execute, target, settle', async () => {
    askForTraces({ OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' });
    const { api, worker } = await start();
    const platform = worker.app.get<Platform>(PLATFORM);
    const { id } = await insertTask(platform.database, {
      cronExpr: '0 0 0 1 1 *',
      nextFireAt: secondOf(platform.clock.now()),
      targetUrl: `${target.url}/ok?secret=1`,
    });
    await tickOn(platform, worker.app.get(EnqueueRuns)).runOnce();
    const [call] = await target.waitFor(1);
    const run = await api.platform.database.client.taskRun.findFirstOrThrow({ where: { taskId: id } });
    const spans = await traceWith(run.traceId, ['tick', 'admit', 'enqueue', 'execute', 'target', 'settle']);

    expect(spans).toHaveLength(6);
    expect(wayUp(spans, 'target')).toEqual(['target', 'execute', 'admit', 'tick']);
    expect(wayUp(spans, 'enqueue')).toEqual(['enqueue', 'admit', 'tick']);
    expect(wayUp(spans, 'settle')).toEqual(['settle', 'execute', 'admit', 'tick']);
    expect(named(spans, 'tick').parentSpanId ?? '').toBe('');
    expect(call.headers.traceparent).toBe(`00-${run.traceId}-${named(spans, 'execute').spanId}-01`);
    const outside = named(spans, 'target');
    expect([outside.kind, valueOf(outside, 'http.response.status_code')]).toEqual([CLIENT, 200]);
    expect(valueOf(outside, 'url.full')).toBe(`${target.url}/ok`);
    expect(valueOf(named(spans, 'execute'), 'punctual.run_id')).toBe(run.id);
    const { resource } = exported()[0].resourceSpans[0];
    expect(valueOf(resource, 'service.name')).toBe('punctual');
    expect(valueOf(resource, 'deployment.environment.name')).toBe('test');
  });

  it('a request is in its caller’s trace, and so is all that follows from it', async () => {
    askForTraces();
    const { api } = await start();
    const task = await create(api, { target_url: `${target.url}/refuse` });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const caller = '00f067aa0ba902b7';
    const headers = { traceparent: `00-${traceId}-${caller}-01` };
    const { status, data: run } = await api.http.post(`/tasks/${task.id}/runs`, {}, { headers });
    expect([status, run.trace_id]).toEqual([202, traceId]);

    const request = 'POST /api/v1/tasks/:id/runs';
    const spans = await traceWith(traceId, [request, 'admit', 'enqueue', 'execute', 'target', 'settle']);
    expect(wayUp(spans, 'target')).toEqual(['target', 'execute', 'admit', request]);
    expect([named(spans, request).kind, named(spans, request).parentSpanId]).toEqual([SERVER, caller]);
    const [call] = target.callsTo('/refuse');
    expect(call.headers.traceparent).toBe(`00-${traceId}-${named(spans, 'execute').spanId}-01`);
    expect([named(spans, 'execute').status.code, named(spans, 'settle').status.code]).toEqual([ERROR, ERROR]);
  });

  it('a callback belongs to the trace its sender says, and what it closes to the run’s', async () => {
    askForTraces();
    const { api } = await start();
    const task = await create(api, { exec_type: 'ASYNC', target_url: `${target.url}/ok` });
    const { data: run } = await api.http.post(`/tasks/${task.id}/runs`);
    const [call] = await target.waitFor(1);
    const token = String(call.headers['x-punctual-callback-token']);
    const headers = { authorization: `Bearer ${token}`, traceparent: String(call.headers.traceparent) };
    const answer = await api.http.post(`/callbacks/${run.id}`, { status: 'SUCCESS' }, { headers });
    expect(answer.status).toBe(200);
    const back = 'POST /api/v1/callbacks/:run_id';
    const spans = await traceWith(run.trace_id, [back, 'execute', 'settle']);
    expect(wayUp(spans, back).slice(0, 3)).toEqual([back, 'execute', 'admit']);
    expect(wayUp(spans, 'settle').slice(0, 3)).toEqual(['settle', 'execute', 'admit']);
  });

  it('of what is not sampled nothing is sent, and the target is told so', async () => {
    askForTraces({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    const { api } = await start();
    const task = await create(api, { target_url: `${target.url}/ok` });
    const { data: run } = await api.http.post(`/tasks/${task.id}/runs`);
    const [call] = await target.waitFor(1);
    expect(call.headers.traceparent).toMatch(new RegExp(`^00-${run.trace_id}-[0-9a-f]{16}-00$`));
    for (const one of running.splice(0).reverse()) await one.stop();
    expect(collector.calls).toEqual([]);
  });

  it('speaks protobuf unless it is told otherwise', async () => {
    askForTraces({ OTEL_EXPORTER_OTLP_PROTOCOL: '' });
    const config = configFor(stack);
    const platform = openPlatform(config, createLogger(config, 'test'));
    await waitUntilReady(platform);
    platform.tracing?.request({
      ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), method: 'GET', route: '/', status: 200, start: 1, end: 2 },
    });
    await platform.close();
    expect(collector.calls.map(({ headers }) => headers['content-type'])).toEqual(['application/x-protobuf']);
  });

  it('nothing is sent while no variable asks for it', async () => {
    const { api, worker } = await start();
    expect([api.platform.tracing, worker.app.get<Platform>(PLATFORM).tracing]).toEqual([null, null]);
    const task = await create(api, { target_url: `${target.url}/ok` });
    const { data: run } = await api.http.post(`/tasks/${task.id}/runs`);
    const [call] = await target.waitFor(1);
    expect(call.headers.traceparent).toMatch(new RegExp(`^00-${run.trace_id}-[0-9a-f]{16}-01$`));
    for (const one of running.splice(0).reverse()) await one.stop();
    expect(collector.calls).toEqual([]);
  });
});
