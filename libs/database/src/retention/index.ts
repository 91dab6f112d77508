export type { AnyRun } from './archived-run.js';
export { leaveRetention, type RetentionLease, takeRetention } from './lease.js';
export { deleteBackfills, deleteTasks, tenants } from './leftovers.js';
export { oldestRuns } from './oldest-runs.js';
export { type RetiredRuns, type RetireOrder, retireRuns } from './retire-runs.js';
export { keepFrom, pageOfLogs, type TaskLog, trimTaskLog } from './task-logs.js';
export { dropAttempts } from './trim-attempts.js';
