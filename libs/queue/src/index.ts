export { QueueAway, type QueueBackend, type QueueLog, QueueMisconfigured, type QueueOptions } from './backend.js';
export {
  DISPATCH_JOB,
  type DispatchData,
  type ExecutionRef,
  parseDispatch,
  RUNS_QUEUE,
  type Signal,
} from './catalogue.js';
export { DispatchQueue, priorityOf } from './dispatch-queue.js';
export { openQueue } from './open-queue.js';
export type { Signals } from './signals.js';
