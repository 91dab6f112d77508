import { createTestDatabase, findMariaDb, findRedis, startMariaDb, startPostgres, startRedis } from '#testing';
import { Target } from './target.js';
import { wearIn } from './wear-in.js';

export const DIALECTS = ['PostgreSQL', 'MariaDB'] as const;
export type DialectName = (typeof DIALECTS)[number];

export interface Server {
  pid: number;
  /** A new database on it, gone with it. */
  newDatabase(): Promise<string>;
}

/** Room for a million tasks, as anybody who has that many would give them. */
const MEMORY = '1GB';

/** The servers of one run of the bench, each started when the first suite asks for it, durable as in production. */
export class Lab {
  private readonly parts = new Map<string, Promise<unknown>>();
  private readonly ends: (() => Promise<unknown>)[] = [];

  /** Databases this machine can start. */
  get dialects(): DialectName[] {
    const found: DialectName[] = findMariaDb() ? [...DIALECTS] : ['PostgreSQL'];
    const wanted = process.env.BENCH_DATABASE;
    return found.filter((name) => wanted === undefined || name === wanted);
  }

  /** What is missing for the suites that need it, with how to get it. */
  static missing(): string | undefined {
    return findRedis() ? undefined : 'redis-server is not installed (apt-get install redis-server)';
  }

  server(dialect: DialectName): Promise<Server> {
    return this.once(dialect, () => (dialect === 'MariaDB' ? this.startMariaDb() : this.startPostgres()));
  }

  redis(): Promise<{ url: string; pid: number }> {
    return this.once('redis', () => this.kept(startRedis()));
  }

  target(): Promise<Target> {
    return this.once('target', () => this.kept(Target.start()));
  }

  /** Started once, kept until the end; for what several suites share. */
  once<Part>(name: string, start: () => Promise<Part>): Promise<Part> {
    const known = this.parts.get(name) ?? start();
    this.parts.set(name, known);
    return known as Promise<Part>;
  }

  /** The latest first. */
  async stop(): Promise<void> {
    for (const end of this.ends.splice(0).reverse()) await end();
  }

  private async startPostgres(): Promise<Server> {
    const settings = { shared_buffers: MEMORY, min_wal_size: '1GB' };
    const server = await this.kept(startPostgres({ durable: true, settings }));
    return this.wornIn('PostgreSQL', server);
  }

  private async startMariaDb(): Promise<Server> {
    const args = [`--innodb-buffer-pool-size=${MEMORY.slice(0, -1)}`, '--innodb-log-file-size=512M'];
    return this.wornIn('MariaDB', await this.kept(startMariaDb({ durable: true, args })));
  }

  private async wornIn(dialect: DialectName, server: { pid: number; url(): string }): Promise<Server> {
    const worn = await createTestDatabase(server.url());
    await wearIn(dialect, worn.url);
    await worn.drop();
    return { pid: server.pid, newDatabase: async () => (await createTestDatabase(server.url())).url };
  }

  private async kept<Part extends { stop(): Promise<unknown> }>(starting: Promise<Part>): Promise<Part> {
    const part = await starting;
    this.ends.push(() => part.stop());
    return part;
  }
}
