import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isLoopback } from './loopback.js';
import { NotAllowed } from './not-allowed.js';
import { type Config, SETTINGS } from './settings.js';

/** Everything that is wrong with the configuration, found in one reading. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`the configuration has ${problems.length} problem(s):\n${problems.map((line) => `  - ${line}`).join('\n')}`);
  }
}

export type Environment = Record<string, string | undefined>;

/** The real environment, with `.env` filling in what it does not set. */
export function loadEnvironment(file = '.env', env: Environment = process.env): Environment {
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...env } : env;
}

/** `queue: false` is for a program that needs none, and asks for none. */
export function readConfig(env: Environment, { queue = true } = {}): Config {
  const problems: string[] = [];
  const values = Object.entries(SETTINGS).map(([key, setting]) => {
    const given = env[setting.name];
    try {
      return [key, setting.parse(given)];
    } catch (error) {
      if (!(error instanceof NotAllowed)) throw error;
      const shown = setting.isSecret ? '***' : masked(given);
      const why = error.message && !setting.isSecret ? ` (${error.message})` : '';
      problems.push(`${setting.name} is "${shown}", allowed: ${setting.allowed.replaceAll('`', '')}${why}`);
      return [key, null];
    }
  });
  const config = Object.freeze(Object.fromEntries(values)) as Config;
  if (queue) problems.push(...contradictions(config, problems), ...openDoors(config));
  problems.push(...tlsContradictions(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** What a server process needs on top: a database, named. */
export function readServerConfig(env: Environment): ServerConfig {
  const config = readConfig(env);
  if (config.databaseUrl === null) {
    throw new ConfigError([
      'DATABASE_URL is not set, allowed: postgresql://… or mysql://… (`npm start` sets it for you)',
    ]);
  }
  return config as ServerConfig;
}

export type ServerConfig = Config & { readonly databaseUrl: string };

function contradictions(config: Config, found: readonly string[]): string[] {
  const onMySql = config.databaseUrl !== null && /^(mysql|mariadb):/.test(config.databaseUrl);
  const redisIsMissing = config.redisUrl === null && !found.some((line) => line.startsWith('REDIS_URL'));
  return onMySql && redisIsMissing
    ? ['REDIS_URL is not set, but DATABASE_URL is MySQL: the queue needs redis://… there (or use PostgreSQL for both)']
    : [];
}

/** A certificate to check, for a connection that would show none: whoever set it believes to be safe and is not. */
function tlsContradictions({ databaseUrl, databaseCaFile, redisUrl, redisCaFile }: Config): string[] {
  const problems: string[] = [];
  if (redisCaFile !== null && redisUrl?.startsWith('redis:')) {
    problems.push(
      'REDIS_CA_FILE is set, but REDIS_URL is not encrypted: write it as rediss://… (or leave REDIS_CA_FILE)',
    );
  }
  const mode =
    databaseUrl === null
      ? null
      : /[?&](?:(?:sslmode|ssl)=(?:disable|no-verify|false|0)(?=&|$)|ssl(?:rootcert|cert|key)=)/.exec(databaseUrl);
  if (databaseCaFile !== null && databaseUrl === null) {
    problems.push('DATABASE_CA_FILE is set, but DATABASE_URL is not: the database that `npm start` brings needs none');
  }
  if (databaseCaFile !== null && mode) {
    problems.push(`DATABASE_CA_FILE is set, but DATABASE_URL says ${mode[0].slice(1)}: leave one of the two`);
  }
  return problems;
}

/** Without keys nobody but this machine may reach the API. */
function openDoors(config: Config): string[] {
  return config.authMode === 'none' && !isLoopback(config.host)
    ? [
        `AUTH_MODE is "none", but HOST is "${config.host}", which others can reach: use AUTH_MODE=keys, or a loopback HOST`,
      ]
    : [];
}

/** A URL in an error text keeps its shape but not its password, however much of a URL it is. */
function masked(given: string | undefined): string {
  return (given ?? '').replace(/:(?!\/\/).*@/s, ':***@').slice(0, 200);
}
