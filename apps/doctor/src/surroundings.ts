import type { Config } from '#config';
import {
  type Database,
  type DatabaseClock,
  expectedIndexes,
  indexesOf,
  migrationStatus,
  readMigrations,
  serverVersion,
} from '#database';
import { inspectRedis } from '#queue';
import { checkClock } from './checks/clock.js';
import { checkConfiguration } from './checks/configuration.js';
import { checkRedis } from './checks/redis.js';
import { checkIndexes, checkMigrations } from './checks/schema.js';
import { checkDatabaseVersion, checkVersion } from './checks/versions.js';
import { type Finding, ok, wrong } from './finding.js';

export interface Surroundings {
  findings: Finding[];
  /** Whether the tables are there: without them there is nothing to count. */
  hasTables: boolean;
}

/** Everything around the runs: settings, servers, tables. The database answers, or this throws. */
export async function examineSurroundings(
  config: Config,
  url: string,
  database: Database,
  clock: DatabaseClock,
): Promise<Surroundings> {
  const { offsetMs } = await clock.measure();
  const migrations = await migrationStatus(url, config.databaseCaFile);
  const expected = expectedIndexes(readMigrations(url).map(({ script }) => script));
  const hasTables = migrations.missing.length === 0 && migrations.unfinished.length === 0;
  const findings = [
    ...checkConfiguration(config, url),
    checkVersion('Node.js', process.versions.node),
    checkDatabaseVersion(await serverVersion(database)),
    checkClock(offsetMs),
    ...(await redisFindings(config.redisUrl, config.redisCaFile)),
    ...checkMigrations(migrations),
    ...(hasTables ? checkIndexes(expected, await indexesOf(database)) : []),
  ];
  return { findings, hasTables };
}

async function redisFindings(url: string | null, ca: Config['redisCaFile']): Promise<Finding[]> {
  if (url === null) return [ok('queue', 'lives in the database: there is no Redis to check')];
  try {
    return checkRedis(await inspectRedis(url, ca));
  } catch (error) {
    const todo = 'is it running, and is REDIS_URL right? Until then runs wait in the database';
    return [wrong('Redis', `cannot be asked: ${(error as Error).message}`, todo)];
  }
}
