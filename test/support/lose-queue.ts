import { Redis } from 'ioredis';
import pg from 'pg';
import type { Stack } from '#testing';

/** Everything the queue knows is gone, at once and without a word: FLUSHALL, for this deployment's part of the server. */
export async function loseQueue(stack: Stack): Promise<void> {
  if (stack.redisUrl === undefined) return truncate(stack.databaseUrl);
  const redis = new Redis(stack.redisUrl);
  const keys = await redis.keys(`${stack.queuePrefix}:*`);
  if (keys.length > 0) await redis.del(...keys);
  redis.disconnect();
}

async function truncate(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq' AND tablename NOT LIKE '%migration%'",
  );
  await client.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')}`);
  await client.end();
}
