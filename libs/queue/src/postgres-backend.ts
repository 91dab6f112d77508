import { createPostgresBackend, runMigrations, setDefaultBackendFactory } from 'bullmq';
import pg from 'pg';
import { Availability } from './availability.js';
import type { QueueBackend, QueueLog, QueueOptions } from './backend.js';
import { PostgresCounters } from './postgres-counters.js';
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
  readonly counters: PostgresCounters;
  private readonly pool: pg.Pool;
  private readonly availability: Availability;

  constructor({ databaseUrl, prefix, timeoutMs }: QueueOptions, log: QueueLog) {
    // @nestjs/bullmq cannot be told which backend to use, BullMQ itself can, for the whole process.
    setDefaultBackendFactory(createPostgresBackend);
    this.prefix = prefix;
    const connection = {
      connectionString: databaseUrl,
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      application_name: 'punctual-queue',
      options: `-c search_path=${SCHEMA} -c synchronous_commit=off`,
    };
    this.pool = new pg.Pool({ ...connection, max: POOL_SIZE });
    this.signals = new PostgresSignals(this.pool, connection, this);
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
      await runMigrations(client, SCHEMA);
      await PostgresCounters.prepare(client);
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
