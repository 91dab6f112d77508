import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/** prom-client's own metrics of the process: memory, CPU, event loop, garbage. Their observers cannot be stopped, so once. */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
