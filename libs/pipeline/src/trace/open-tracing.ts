import type { Logger } from 'pino';
import { Tracing } from './tracing.js';

type Environment = Record<string, string | undefined>;

/**
 * Traces are sent where OpenTelemetry's own variables say so: an endpoint, or `OTEL_TRACES_EXPORTER=otlp` for the one on this
 * machine. Without them nothing of OpenTelemetry is even loaded.
 */
export async function openTracing(node: string, log: Logger, env: Environment = process.env): Promise<Tracing | null> {
  if (!wantsTraces(env)) return null;
  const { openTelemetrySink } = await import('./open-telemetry.js');
  return new Tracing(await openTelemetrySink(node, log, env));
}

export function wantsTraces(env: Environment): boolean {
  const exporter = env.OTEL_TRACES_EXPORTER?.trim().toLowerCase() ?? '';
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' || exporter === 'none') return false;
  return exporter === 'otlp' || Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT);
}
