import {
  createTestDatabase,
  type MariaDbServer,
  type PostgresServer,
  type RedisServer,
  type StackName,
  startMariaDb,
  startPostgres,
  startRedis,
} from '#testing';

/** Servers that no scenario harms, each started when the first one asks for it. Those that are hurt belong to their scenario alone. */
export class SharedServers {
  private postgres: Promise<PostgresServer> | undefined;
  private mariadb: Promise<MariaDbServer> | undefined;
  private redis: Promise<RedisServer> | undefined;

  /** A database of one scenario's own, gone with the server. */
  async newDatabase(stack: StackName): Promise<string> {
    const server =
      stack === 'mariadb-redis'
        ? await (this.mariadb ??= startMariaDb({ args: ['--max-connections=800'] }))
        : await (this.postgres ??= startPostgres({ settings: { max_connections: 600 } }));
    return (await createTestDatabase(server.url())).url;
  }

  async redisUrl(): Promise<string> {
    return (await (this.redis ??= startRedis())).url;
  }

  async stop(): Promise<void> {
    const started = [this.postgres, this.mariadb, this.redis].filter((server) => server !== undefined);
    await Promise.allSettled(started.map(async (server) => (await server).stop()));
  }
}
