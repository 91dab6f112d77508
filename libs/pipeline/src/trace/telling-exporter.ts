import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

/** Of @opentelemetry/core's ExportResultCode. */
const SUCCESS = 0;

/** Says once that the collector does not take our spans, and once that it does again. */
export function tellingExporter(exporter: SpanExporter, log: Pick<Logger, 'info' | 'warn'>): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = Number(result.code) !== SUCCESS;
        if (failed && !isFailing)
          log.warn(
            { reason: result.error?.message },
            'the collector does not take traces: they are lost until it does',
          );
        if (!failed && isFailing) log.info('the collector takes traces again');
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
