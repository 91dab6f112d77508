import {
  createTestDatabase,
  type MySqlServer,
  type PostgresServer,
  type RedisServer,
  type StackName,
  startMariaDb,
  startMySql,
  startPostgres,
  startRedis,
} from '#testing';

/** Servers that no scenario harms, each started when the first one asks for it. Those that are hurt belong to their scenario alone. */
export class SharedServers {
  private postgres: Promise<PostgresServer> | undefined;
  private mariadb: Promise<MySqlServer> | undefined;
  private mysql: Promise<MySqlServer> | undefined;
  private redis: Promise<RedisServer> | undefined;

  /** A database of one scenario's own, gone with the server. */
  async newDatabase(stack: StackName): Promise<string> {
    const server = await this.databaseServer(stack);
    return (await createTestDatabase(server.url())).url;
  }

  private databaseServer(stack: StackName): Promise<PostgresServer | MySqlServer> {
    const many = { args: ['--max-connections=800'] };
    if (stack === 'mariadb-redis') return (this.mariadb ??= startMariaDb(many));
    if (stack === 'mysql-redis') return (this.mysql ??= startMySql(many));
    return (this.postgres ??= startPostgres({ settings: { max_connections: 600 } }));
  }

  async redisUrl(): Promise<string> {
    return (await (this.redis ??= startRedis())).url;
  }

  async stop(): Promise<void> {
    const started = [this.postgres, this.mariadb, this.mysql, this.redis].filter((server) => server !== undefined);
    await Promise.allSettled(started.map(async (server) => (await server).stop()));
  }
}
