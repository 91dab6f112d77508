export { type Client, type Database, type DatabaseOptions, openDatabase, type Session } from './client.js';
export { type Clock, DatabaseClock } from './clock.js';
export * from './embedded/index.js';
export { type DatabaseFault, faultOf, isLockWait } from './errors.js';
export { migrate, MigrationError, readMigrations } from './migrate.js';
export { ping } from './ping.js';
export { inSqlTransaction, inTransaction } from './transaction.js';
export type {
  ApiKey,
  AuditEntry,
  Backfill,
  IdempotencyKey,
  LateCallback,
  Outbox,
  Prisma,
  RunAttempt,
  RunCallback,
  RunHandling,
  Task,
  TaskRun,
  TaskTag,
} from './generated/postgresql/client.js';
export {
  type AgentExecution,
  allowAnotherAttempt,
  findAgentExecution,
  keepAgentLease,
  type SignOfLife,
} from './agents/agent-execution.js';
export { type AgentClaim, type AgentClaims, type AgentRun, claimAgentRuns } from './agents/claim-agent-runs.js';
export { type OfferedRun, offerLostRuns, offerRuns } from './agents/offer-runs.js';
export type { OfferFilter } from './sql/agent-runs.js';
export { giveBackRuns } from './runs/give-back-runs.js';
export { ClaimInDoubt, claimRuns, type ClaimedRun } from './runs/claim-runs.js';
export { rowsOfSecond, type SecondRows } from './runs/explain-facts.js';
export { takeBack } from './runs/take-back.js';
export { type CancelReason, executionsOf, type UnfinishedRun } from './runs/cancel-runs.js';
export { cancelRun } from './runs/cancel-run.js';
export { rememberReplaced, type Replacement, replaceRuns } from './runs/replace-runs.js';
export { existingRuns } from './runs/existing-runs.js';
export { insertRuns, isColdRun, type NewRun } from './runs/insert-runs.js';
export { type Execution, keepLeases, lostExecutions } from './runs/keep-leases.js';
export {
  type ColdRow,
  type ColdRun,
  dropColdRows,
  nextColdRuns,
  type TakenColdRuns,
  takeColdRuns,
} from './runs/take-cold-runs.js';
export type { ReleasedRun } from './runs/free-slots.js';
export { type LateReport, skipLateRuns } from './runs/skip-late-runs.js';
export { closedStatusOf, type SettledFrom, type Settlement } from './runs/settlement.js';
export { type SettleReport, settleRuns } from './runs/settle-runs.js';
export { type OverdueRun, takeOverdueRuns } from './runs/wake-runs.js';
export { type WarmedRun, warmRuns } from './runs/warm-runs.js';
export { type AlarmCursor, type WaitingForWorker, type WaitingPage, waitingRuns } from './runs/waiting-runs.js';
export { wakeLater } from './runs/wake-later.js';
export { wakeSooner } from './runs/wake-sooner.js';
export { Sql } from './sql.js';
export type { Witness } from './witness.js';
export { advanceTasks, type TaskAdvance } from './tasks/advance-tasks.js';
export { claimDueTasks, claimTasksAhead, type DueTask } from './tasks/claim-due-tasks.js';
export { countEnabledTasks } from './tasks/count-enabled-tasks.js';
export { hasDueTasks } from './tasks/has-due-tasks.js';
export { nextCrowd } from './tasks/next-crowd.js';
export { loadDefinitions, type TaskDefinition } from './tasks/load-definitions.js';
export { lockLiveTasks, lockTask, taskIdsByName } from './tasks/lock-task.js';
export type { TaskFacts } from './tasks/task-facts.js';
export { forgetExpiredKeys } from './idempotency/forget-expired-keys.js';
export { type Answer, type IdempotentRequest, isAnswered, withIdempotency } from './idempotency/with-idempotency.js';
export { findRun, findRuns, type StoredRun } from './runs/find-run.js';
export { type Resolution, resolveRun } from './runs/resolve-run.js';
export { type Retrial, retryRun } from './runs/retry-run.js';
export { listArchivedRuns } from './runs/list-archived-runs.js';
export { listRuns } from './runs/list-runs.js';
export type { RunListing } from './runs/run-listing.js';
export * from './backfills/index.js';
export * from './callbacks/index.js';
export * from './outbox/index.js';
export * from './recount/index.js';
export * from './retention/index.js';
export { type TaskSecrets, taskSecretsAfter, writeTaskSecrets } from './secrets/task-secrets.js';
export * from './tasks/index.js';
export {
  MOST_COUNTED,
  OPEN_STATUSES,
  type OpenRuns,
  openRunsOf,
  type OpenStatus,
  recentRuns,
} from './stats/run-stats.js';
export { type ExpectedIndex, expectedIndexes } from './inspect/expected-indexes.js';
export { indexesOf, serverVersion } from './inspect/inspect-database.js';
export { type MigrationStatus, migrationStatus } from './inspect/migration-status.js';
export * from './nodes/index.js';
export * from './audit/index.js';
export * from './keys/index.js';
export { countTasks, countUnfinished } from './quotas/tenant-usage.js';
