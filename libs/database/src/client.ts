import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { PrismaPg } from '@prisma/adapter-pg';
import mariadb from 'mariadb';
import pg from 'pg';
import { type CaFile, postgresAddress } from '#config';
import { type Dialect, dialectOf } from './dialect.js';
import type { Driver } from './driver.js';
import { MySqlDriver } from './drivers/mysql-driver.js';
import { PostgresDriver } from './drivers/postgres-driver.js';
import { PrismaClient as MySqlClient } from './generated/mysql/client.js';
import { PrismaClient as PostgresClient, type Prisma } from './generated/postgresql/client.js';
import { mySqlAddress } from './mysql-address.js';

/** Both clients come from one models file: PostgreSQL's type stands for both. */
export type Client = PostgresClient;

/** What an operation runs on: the client itself, or the transaction it is part of. */
export type Session = Prisma.TransactionClient;

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** Longest a statement, a lock or a free connection is waited for. */
  timeoutMs: number;
  /** Who has signed the server's certificate; without, the URL says how it is reached. */
  ca?: CaFile | null;
}

/** A database: Prisma's client, the driver below it for the hot path, one pool for both. Connects on first use. */
export interface Database {
  readonly client: Client;
  readonly driver: Driver;
  readonly dialect: Dialect;
  close(): Promise<void>;
}

export function openDatabase(options: DatabaseOptions): Database {
  return dialectOf(options.url) === 'mysql' ? openMySql(options) : openPostgres(options);
}

function openPostgres({ url, poolSize, timeoutMs, ca = null }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...postgresAddress(url, ca),
    max: poolSize,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    options: sessionSettings(timeoutMs),
    // The server's own limit comes first; this one is for a server that has gone silent.
    query_timeout: timeoutMs + SILENCE_MS,
    application_name: 'punctual',
  });
  pool.on('error', () => undefined); // an idle connection that breaks is replaced when the next one is needed
  pool.on('connect', (client) => client.on('error', () => undefined)); // one in use shows it as its statement's error
  const client = new PostgresClient({ adapter: new PrismaPg(pool), transactionOptions: patience(timeoutMs) });
  const driver = new PostgresDriver(pool);
  return { client, driver, dialect: 'postgresql', close: () => closeBoth(client, () => pool.end()) };
}

const SILENCE_MS = 5_000;

function sessionSettings(timeoutMs: number): string {
  const settings = {
    timezone: 'UTC',
    statement_timeout: timeoutMs,
    // A little shorter than a statement's, so that the error says which of the two it was.
    lock_timeout: Math.ceil(timeoutMs * 0.8),
    idle_in_transaction_session_timeout: timeoutMs * 2,
    // Every statement of ours goes by an index. On tables without statistics yet the planner would scan them instead.
    enable_seqscan: 'off',
    jit: 'off',
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

function openMySql({ url, poolSize, timeoutMs, ca = null }: DatabaseOptions): Database {
  // Whole seconds, and shorter than a statement's, so that the error says which of the two it was.
  const lockSeconds = Math.max(1, Math.floor((timeoutMs * 0.8) / 1000));
  const pool = mariadb.createPool({
    ...mySqlAddress(url, ca),
    connectionLimit: poolSize,
    acquireTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    // An UPDATE must answer with the rows it matched, not the rows it changed.
    foundRows: true,
    prepareCacheLength: 0,
    initSql: [
      "SET time_zone = '+00:00'",
      'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
      // The longest statement has another name, and another unit, on MariaDB and on MySQL. A transaction whose process stands still
      // is ended by MariaDB alone: MySQL has nothing of the kind.
      `SET SESSION innodb_lock_wait_timeout = ${lockSeconds} /*M!100100 , max_statement_time = ${Math.max(timeoutMs / 1000, lockSeconds + 1)} */ /*M!100300 , idle_transaction_timeout = ${Math.ceil((timeoutMs * 2) / 1000)} */ /*!80000 , max_execution_time = ${timeoutMs} */`,
    ],
  });
  const adapter = new PrismaMariaDb(pool);
  const driver = new MySqlDriver(pool, timeoutMs + SILENCE_MS);
  const client = new MySqlClient({ adapter, transactionOptions: patience(timeoutMs) }) as unknown as Client;
  return { client, driver, dialect: 'mysql', close: () => closeBoth(client, () => pool.end()) };
}

const patience = (timeoutMs: number) => ({ maxWait: timeoutMs, timeout: timeoutMs * 2 });

async function closeBoth(client: Client, endPool: () => Promise<void>): Promise<void> {
  await client.$disconnect();
  await endPool();
}
