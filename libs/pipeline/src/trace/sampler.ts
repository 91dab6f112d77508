import { AlwaysOffSampler, AlwaysOnSampler, type Sampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

type Environment = Record<string, string | undefined>;

/**
 * Which traces are kept, by `OTEL_TRACES_SAMPLER` and its argument. Decided from the trace's id alone, whether `parentbased_` or not: a
 * run keeps its trace id in the database, but no flag of its caller's, and all processes have to say the same of it.
 */
export function samplerFrom(env: Environment, log: Pick<Logger, 'warn'>): Sampler {
  const name = env.OTEL_TRACES_SAMPLER?.trim().toLowerCase() || 'parentbased_always_on';
  switch (name.replace(/^parentbased_/, '')) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratioFrom(env.OTEL_TRACES_SAMPLER_ARG, log));
    default:
      log.warn(
        { sampler: name },
        'OTEL_TRACES_SAMPLER can be always_on, always_off or traceidratio: keeping all traces',
      );
      return new AlwaysOnSampler();
  }
}

function ratioFrom(given: string | undefined, log: Pick<Logger, 'warn'>): number {
  const ratio = given?.trim() ? Number(given) : 1;
  if (ratio >= 0 && ratio <= 1) return ratio;
  log.warn({ given }, 'OTEL_TRACES_SAMPLER_ARG is no number from 0 to 1: keeping all traces');
  return 1;
}
