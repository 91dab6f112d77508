export { QueueAway, type QueueBackend, type QueueLog, QueueMisconfigured, type QueueOptions } from './backend.js';
export { DISPATCH_JOB, type DispatchData, parseDispatch, RUNS_QUEUE } from './catalogue.js';
export { DispatchQueue, priorityOf } from './dispatch-queue.js';
export { openQueue } from './open-queue.js';
