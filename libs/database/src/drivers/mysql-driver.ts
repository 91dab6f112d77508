import type { Connection, Pool, UpsertResult } from 'mariadb';
import type { Driver, Sql, Statement } from '../driver.js';

class MySqlSql implements Sql {
  readonly dialect = 'mysql';

  constructor(private readonly connection: Pick<Connection, 'query'>) {}

  rows<Row>(statement: Statement, ...values: unknown[]): Promise<Row[]> {
    return this.connection.query<Row[]>(statement.mysql, values);
  }

  async run(statement: Statement, ...values: unknown[]): Promise<number> {
    const { affectedRows } = await this.connection.query<UpsertResult>(statement.mysql, values);
    return affectedRows;
  }
}

export class MySqlDriver extends MySqlSql implements Driver {
  constructor(private readonly pool: Pool) {
    super(pool);
  }

  async transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const connection = await this.pool.getConnection();
    try {
      await connection.beginTransaction();
      const result = await work(new MySqlSql(connection));
      await connection.commit();
      return result;
    } catch (error) {
      await connection.rollback().catch(() => undefined);
      throw error;
    } finally {
      await connection.release();
    }
  }
}
