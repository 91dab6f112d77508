import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { Tracing } from './tracing.js';

/** Those who are told what happens, where there are any. */
export interface Watch {
  metrics?: PipelineMetrics;
  tracing?: Tracing | null;
}
