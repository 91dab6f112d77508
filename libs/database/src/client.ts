import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { PrismaPg } from '@prisma/adapter-pg';
import { type Dialect, dialectOf } from './dialect.js';
import { PrismaClient as MySqlClient } from './generated/mysql/client.js';
import { PrismaClient as PostgresClient, type Prisma } from './generated/postgresql/client.js';

/** Both clients come from one models file: PostgreSQL's type stands for both. */
export type Client = PostgresClient;

/** What an operation runs on: the client itself, or the transaction it is part of. */
export type Session = Prisma.TransactionClient;

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** Longest a statement, a lock or a free connection is waited for. */
  timeoutMs: number;
}

/** A connected database: the client, which SQL it speaks, and how long to be patient with it. */
export interface Database {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly timeoutMs: number;
  close(): Promise<void>;
}

export function openDatabase(options: DatabaseOptions): Database {
  const dialect = dialectOf(options.url);
  const client = dialect === 'mysql' ? mySqlClient(options) : postgresClient(options);
  return { client, dialect, timeoutMs: options.timeoutMs, close: () => client.$disconnect() };
}

function postgresClient({ url, poolSize, timeoutMs }: DatabaseOptions): Client {
  const adapter = new PrismaPg({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    // A lock is waited for a little shorter than a statement, so that the error says which of the two it was.
    options: `-c timezone=UTC -c statement_timeout=${timeoutMs} -c lock_timeout=${Math.ceil(timeoutMs * 0.8)} -c idle_in_transaction_session_timeout=${timeoutMs * 2}`,
    application_name: 'punctual',
  });
  return new PostgresClient({ adapter, transactionOptions: { maxWait: timeoutMs, timeout: timeoutMs * 2 } });
}

function mySqlClient({ url, poolSize, timeoutMs }: DatabaseOptions): Client {
  const at = new URL(url);
  const adapter = new PrismaMariaDb({
    host: at.hostname,
    port: Number(at.port || 3306),
    user: decodeURIComponent(at.username),
    password: decodeURIComponent(at.password),
    database: decodeURIComponent(at.pathname.slice(1)),
    connectionLimit: poolSize,
    acquireTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    timezone: 'Z',
    // An UPDATE must answer with the rows it matched, not the rows it changed.
    foundRows: true,
    bigIntAsNumber: false,
    initSql: [
      "SET time_zone = '+00:00'",
      'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
      `SET SESSION innodb_lock_wait_timeout = ${Math.max(1, Math.floor((timeoutMs * 0.8) / 1000))}`,
    ],
  });
  const client = new MySqlClient({ adapter, transactionOptions: { maxWait: timeoutMs, timeout: timeoutMs * 2 } });
  return client as unknown as Client;
}
