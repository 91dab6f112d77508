import type { QueueBackend, QueueLog, QueueOptions } from './backend.js';
import { PostgresBackend } from './postgres-backend.js';
import { RedisBackend } from './redis-backend.js';

/** With a Redis URL the queue lives there, without one in the PostgreSQL of the database URL. */
export function openQueue(options: QueueOptions, log: QueueLog): QueueBackend {
  const { redisUrl } = options;
  return redisUrl === null ? new PostgresBackend(options, log) : new RedisBackend({ ...options, redisUrl }, log);
}
