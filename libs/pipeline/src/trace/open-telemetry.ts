import {
  ROOT_CONTEXT,
  type Context,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  SamplingDecision,
  type Sampler,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { samplerFrom } from './sampler.js';
import type { FinishedSpan, SpanSink } from './span.js';
import { newSpanId, newTraceId } from './trace-id.js';
import { tellingExporter } from './telling-exporter.js';

type Environment = Record<string, string | undefined>;

/** A herd's spans come all at once; OpenTelemetry's own 2,048 would drop most of them. */
const QUEUE_SIZE = 32_768;
const BATCH_SIZE = 512;
const DELAY_MS = 5_000;
/** How long a process that stops waits for a collector. */
const GOODBYE_MS = 2_000;

export async function openTelemetrySink(node: string, log: Logger, env: Environment): Promise<SpanSink> {
  const exporter = tellingExporter(await exporterFrom(env, log), log);
  const ids = new GivenIds();
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'punctual', 'service.instance.id': node }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batching(env) })],
  });
  return new TelemetrySink(provider.getTracer('punctual'), ids, samplerFrom(env, log), () =>
    within(provider.shutdown(), GOODBYE_MS),
  );
}

/** Loads the one that is asked for. Both read endpoint, headers, timeout and certificates from the environment by themselves. */
async function exporterFrom(env: Environment, log: Logger): Promise<SpanExporter> {
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  if (protocol === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    return new OTLPTraceExporter();
  }
  if (protocol !== 'http/protobuf')
    log.warn({ protocol }, 'OTEL_EXPORTER_OTLP_PROTOCOL can be http/protobuf or http/json: sending http/protobuf');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

function batching(env: Environment) {
  const given = (name: string, fallback: number) => (Number(env[name]) > 0 ? Number(env[name]) : fallback);
  const maxQueueSize = given('OTEL_BSP_MAX_QUEUE_SIZE', QUEUE_SIZE);
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(maxQueueSize, given('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', BATCH_SIZE)),
    scheduledDelayMillis: given('OTEL_BSP_SCHEDULE_DELAY', DELAY_MS),
  };
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => (timer = setTimeout(done, ms)));
  await Promise.race([
    work.then(
      () => undefined,
      () => undefined,
    ),
    late,
  ]).finally(() => clearTimeout(timer));
}

/** Gives the next span the ids it is to have. */
class GivenIds implements IdGenerator {
  private next: Pick<FinishedSpan, 'traceId' | 'spanId'> | undefined;

  give(span: Pick<FinishedSpan, 'traceId' | 'spanId'>): void {
    this.next = span;
  }

  generateTraceId(): string {
    return this.next?.traceId ?? newTraceId();
  }

  generateSpanId(): string {
    return this.next?.spanId ?? newSpanId();
  }
}

class TelemetrySink implements SpanSink {
  constructor(
    private readonly tracer: Tracer,
    private readonly ids: GivenIds,
    private readonly sampler: Sampler,
    readonly close: () => Promise<void>,
  ) {}

  keeps(traceId: string): boolean {
    const { decision } = this.sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  write(span: FinishedSpan): void {
    this.ids.give(span);
    const { name, kind, attributes, start, end, error } = span;
    const options = { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, startTime: preciseTime(start), attributes };
    const written = this.tracer.startSpan(name, options, parentOf(span));
    if (typeof error === 'string') written.setStatus({ code: SpanStatusCode.ERROR, message: error });
    written.end(preciseTime(Math.max(start, end)));
  }
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

function parentOf({ traceId, parentId }: FinishedSpan): Context {
  if (parentId === undefined) return ROOT_CONTEXT;
  const parent = { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Seconds and nanoseconds: a plain number of long ago would be taken for one since the process began. */
const preciseTime = (ms: number): [number, number] => {
  const micros = Math.round(ms * 1000);
  return [Math.floor(micros / 1e6), (micros % 1e6) * 1000];
};
