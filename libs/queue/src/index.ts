export { QueueAway, type QueueBackend, type QueueLog, QueueMisconfigured, type QueueOptions } from './backend.js';
export {
  COMMANDS_QUEUE,
  DEADLINE_JOB,
  type DeadlineData,
  DEADLINES_QUEUE,
  DISPATCH_JOB,
  type DispatchData,
  type ExecutionRef,
  NOTICE_JOB,
  type NoticeData,
  NOTICES_QUEUE,
  parseDeadline,
  parseDispatch,
  parseNotice,
  RUNS_QUEUE,
  type Signal,
} from './catalogue.js';
export type { Counters, CountWindow } from './counters.js';
export { DeadlineQueue } from './deadline-queue.js';
export { DispatchQueue, dueAtOf, priorityOf } from './dispatch-queue.js';
export { type NoticeJob, NoticeQueue } from './notice-queue.js';
export type { QueueMemory } from './queue-memory.js';
export { openQueue } from './open-queue.js';
export type { Signals } from './signals.js';
export { type QueueDepth, queueDepth } from './queue-depth.js';
export { inspectRedis, type RedisFacts } from './inspect-redis.js';
