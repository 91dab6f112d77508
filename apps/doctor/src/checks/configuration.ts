import { type Config, isLoopback } from '#config';
import { advice, type Finding, ok, wrong } from '../finding.js';

type Looked = Pick<Config, 'databaseUrl' | 'redisUrl' | 'secretKeys' | 'host' | 'publicUrl' | 'shellExecutor'>;

/** What can be read but will not do; what cannot be read at all has been said before. */
export function checkConfiguration(config: Looked, databaseUrl: string): Finding[] {
  const findings = [...redisIsMissing(config, databaseUrl), ...publicUrlIsMissing(config), ...keysAreMissing(config)];
  return findings.length > 0 ? findings : [ok('configuration', 'every setting can be used')];
}

function redisIsMissing({ redisUrl }: Looked, databaseUrl: string): Finding[] {
  if (redisUrl !== null || !/^(mysql|mariadb):/.test(databaseUrl)) return [];
  const todo = 'set REDIS_URL=redis://… for every process: with MySQL or MariaDB the queue needs it';
  return [wrong('configuration', 'DATABASE_URL is MySQL, and REDIS_URL is not set', todo)];
}

function publicUrlIsMissing({ host, publicUrl }: Looked): Finding[] {
  if (publicUrl !== null || isLoopback(host)) return [];
  const todo = 'set PUBLIC_URL for the API to where ASYNC targets reach it';
  return [
    advice(
      'configuration',
      `HOST is ${host}, and PUBLIC_URL is not set: callbacks are sent to an address nobody has`,
      todo,
    ),
  ];
}

function keysAreMissing({ secretKeys, databaseUrl }: Looked): Finding[] {
  // `npm start` makes one for its machine.
  if (secretKeys.length > 0 || databaseUrl === null) return [];
  const todo =
    'set SECRET_KEYS to k1: and what `openssl rand -base64 32` says, the same for API and workers, if teams sign notices';
  return [advice('configuration', 'SECRET_KEYS is empty: tasks cannot have secret keys', todo)];
}
