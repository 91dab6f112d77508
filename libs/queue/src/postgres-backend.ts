import {
  assertSchemaCompatibility,
  type BackendFactory,
  createPostgresBackend,
  LATEST_SCHEMA_VERSION,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  runMigrations,
  SchemaMigrationRequiredError,
  setDefaultBackendFactory,
} from 'bullmq';
import pg from 'pg';
import { postgresAddress } from '#config';
import { Availability } from './availability.js';
import type { QueueBackend, QueueLog, QueueOptions } from './backend.js';
import { COUNTS_TABLE, PostgresCounters } from './postgres-counters.js';
import { MEMORY_TABLE, PostgresMemory } from './postgres-memory.js';
import { PostgresSignals } from './postgres-signals.js';

/** BullMQ's own name for its schema when it is handed a pool. */
const SCHEMA = 'bullmq';
const POOL_SIZE = 8;

/**
 * BullMQ on the PostgreSQL that holds everything else: what a newcomer meets. One pool serves all queues and workers of
 * the process. Commits do not wait for the disk: a queue entry lost in a crash is found again by rescue.
 */
export class PostgresBackend implements QueueBackend {
  readonly connection: never;
  readonly prefix: string;
  readonly signals: PostgresSignals;
  readonly memory: PostgresMemory;
  readonly counters: PostgresCounters;
  private readonly pool: pg.Pool;
  private readonly availability: Availability;

  constructor({ databaseUrl, databaseCa = null, prefix, timeoutMs }: QueueOptions, log: QueueLog) {
    // @nestjs/bullmq cannot be told which backend to use, BullMQ itself can, for the whole process.
    setDefaultBackendFactory(createBackend);
    this.prefix = prefix;
    const connection = {
      ...postgresAddress(databaseUrl, databaseCa),
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      application_name: 'punctual-queue',
      options: `-c search_path=${SCHEMA} -c synchronous_commit=off`,
    };
    this.pool = new pg.Pool({ ...connection, max: POOL_SIZE });
    this.signals = new PostgresSignals(this.pool, connection, this);
    this.memory = new PostgresMemory(this.pool, this);
    this.counters = new PostgresCounters(this.pool, this);
    this.availability = new Availability('The queue’s PostgreSQL', log, () => this.pool.query('SELECT 1'));
    // A pool makes new connections by itself: an error is about the one that broke, not about the next.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.connection = this.pool as never;
  }

  async prepare(): Promise<void> {
    const client = await this.pool.connect();
    try {
      // Looked at first: a role that may only read and write could not even try.
      if ((await schemaVersion(client)) < LATEST_SCHEMA_VERSION) await runMigrations(client, SCHEMA);
      if (!(await hasTable(client, COUNTS_TABLE))) await PostgresCounters.prepare(client);
      if (!(await hasTable(client, MEMORY_TABLE))) await this.memory.prepare();
    } finally {
      client.release();
    }
  }

  ask<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return this.availability.ask(work);
  }

  async check(): Promise<void> {
    await this.ask(() => this.pool.query('SELECT 1'));
  }

  async close(): Promise<void> {
    await this.signals.close();
    await this.pool.end();
  }
}

/** How long a worker that has nothing to do waits before it looks by itself. BullMQ's own limit is an hour. */
const LOOK_SECONDS = 10;

/**
 * BullMQ's backend, less trusting of connections. Whether the schema is there it asks with the first connection, and remembers a connection
 * that broke just then as the answer for good: nothing could be sent or taken until the process is restarted. We have looked before
 * (`prepare`). And a worker whose look for jobs failed once would rely on being told of new ones for an hour.
 */
const createBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (...given) => {
  const backend = createPostgresBackend(...given);
  backend.connection.waitUntilReady = () => Promise.resolve();
  Object.defineProperty(backend, 'maximumBlockTimeout', { value: LOOK_SECONDS });
  return backend;
};

async function schemaVersion(client: pg.PoolClient): Promise<number> {
  try {
    return await assertSchemaCompatibility(client, SCHEMA);
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  }
}

async function hasTable(client: pg.PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1)::text AS found', [name]);
  return rows[0].found !== null;
}
