import { type CaFile, serverTls } from '#config';
import { Redis } from 'ioredis';

const PATIENCE_MS = 3_000;

/** What an operator should know of a Redis. */
export interface RedisFacts {
  version: string;
  policy: string;
  /** Whether what is written survives a restart: by the append-only file, or by snapshots. Null: it does not say. */
  appendOnly: boolean;
  snapshots: boolean | null;
  usedBytes: number;
  /** 0: as much as the machine has. */
  maxBytes: number;
}

/** Asks over a connection of its own. Throws when there is no answer within a few seconds. */
export async function inspectRedis(url: string, ca: CaFile | null = null): Promise<RedisFacts> {
  const redis = new Redis(url, {
    ...{ lazyConnect: true, connectTimeout: PATIENCE_MS, commandTimeout: PATIENCE_MS },
    ...{ maxRetriesPerRequest: 0, retryStrategy: () => null },
    ...(ca && { tls: serverTls(ca, new URL(url).hostname) }),
  });
  let reason: Error | undefined;
  redis.on('error', (error) => (reason = error));
  try {
    await redis.connect();
    return await factsOf(redis);
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

async function factsOf(redis: Redis): Promise<RedisFacts> {
  const info = await redis.info();
  const value = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  // Servers that others run often do not let one ask.
  const save = await redis.config('GET', 'save').catch(() => null);
  return {
    version: value('redis_version') || value('valkey_version'),
    policy: value('maxmemory_policy'),
    appendOnly: value('aof_enabled') === '1',
    snapshots: Array.isArray(save) && save.length > 1 ? String(save[1]) !== '' : null,
    usedBytes: Number(value('used_memory')),
    maxBytes: Number(value('maxmemory')),
  };
}
