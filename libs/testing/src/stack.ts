import { randomBytes } from 'node:crypto';
import type { EmbeddedPostgres } from '#database';
import { createTestDatabase } from './servers/databases.js';
import { startPostgres } from './servers/postgres.js';

export const STACKS = ['embedded', 'postgres-redis', 'mariadb-redis', 'mysql-redis'] as const;
export type StackName = (typeof STACKS)[number];

/** A database, and a queue, that nobody else uses. */
export interface Stack {
  name: StackName;
  databaseUrl: string;
  /** Absent on the embedded stack, whose queue is on PostgreSQL as well. */
  redisUrl?: string;
  /** Keeps the queues of tests that share one Redis apart. */
  queuePrefix: string;
  close(): Promise<void>;
}

/** The stack this jest process was started for, see scripts/test.mjs. */
export function stackName(env: NodeJS.ProcessEnv = process.env): StackName {
  const given = env.PUNCTUAL_TEST_STACK ?? 'embedded';
  const name = STACKS.find((known) => known === given);
  if (!name) throw new Error(`PUNCTUAL_TEST_STACK is ${given}; it can be ${STACKS.join(', ')}`);
  return name;
}

export async function openStack(env: NodeJS.ProcessEnv = process.env): Promise<Stack> {
  const name = stackName(env);
  const lease = await leaseServer(name, env);
  const database = await createTestDatabase(lease.url);
  return {
    name,
    databaseUrl: database.url,
    ...(name === 'embedded' ? {} : { redisUrl: required('PUNCTUAL_TEST_REDIS_URL', env) }),
    queuePrefix: `t_${randomBytes(6).toString('hex')}`,
    close: async () => {
      await database.drop();
      await lease.end();
    },
  };
}

interface Lease {
  url: string;
  end(): Promise<void>;
}

async function leaseServer(name: StackName, env: NodeJS.ProcessEnv): Promise<Lease> {
  const nothing = () => Promise.resolve();
  if (name === 'mariadb-redis') return { url: required('PUNCTUAL_TEST_MARIADB_URL', env), end: nothing };
  if (name === 'mysql-redis') return { url: required('PUNCTUAL_TEST_MYSQL_URL', env), end: nothing };
  if (env.PUNCTUAL_TEST_PG_URL) return { url: env.PUNCTUAL_TEST_PG_URL, end: nothing };
  return leaseOwnPostgres();
}

let own: Promise<EmbeddedPostgres> | undefined;
let users = 0;

/** Jest started by hand, without servers: one PostgreSQL for the test file, gone with its last stack. */
async function leaseOwnPostgres(): Promise<Lease> {
  users++;
  const server = await (own ??= startPostgres());
  const end = async () => {
    if (--users > 0) return;
    own = undefined;
    await server.stop();
  };
  return { url: server.url(), end };
}

function required(name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name];
  if (!value) throw new Error(`the stack ${stackName(env)} needs ${name}; npm test sets it`);
  return value;
}
