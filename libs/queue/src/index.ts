export { QueueAway, type QueueBackend, type QueueLog, QueueMisconfigured, type QueueOptions } from './backend.js';
export {
  COMMANDS_QUEUE,
  DISPATCH_JOB,
  type DispatchData,
  type ExecutionRef,
  NOTICE_JOB,
  type NoticeData,
  NOTICES_QUEUE,
  parseDispatch,
  parseNotice,
  RUNS_QUEUE,
  type Signal,
} from './catalogue.js';
export { DispatchQueue, dueAtOf, priorityOf } from './dispatch-queue.js';
export { type NoticeJob, NoticeQueue } from './notice-queue.js';
export { openQueue } from './open-queue.js';
export type { Signals } from './signals.js';
