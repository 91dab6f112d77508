export { type Client, type Database, type DatabaseOptions, openDatabase, type Session } from './client.js';
export { type Clock, DatabaseClock } from './clock.js';
export * from './embedded/index.js';
export { type DatabaseFault, faultOf } from './errors.js';
export { migrate, MigrationError } from './migrate.js';
export { inTransaction } from './transaction.js';
export type { IdempotencyKey, Prisma, RunAttempt, Task, TaskRun, TaskTag } from './generated/postgresql/client.js';
