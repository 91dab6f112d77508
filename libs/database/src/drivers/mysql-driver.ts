import type { Connection, Pool, UpsertResult } from 'mariadb';
import { type Asked, type Driver, insertStatement, type Sql, type Statement } from '../driver.js';

class MySqlSql implements Sql {
  readonly dialect = 'mysql';

  constructor(private readonly connection: Pick<Connection, 'query' | 'batch'> & Partial<Pick<Connection, 'info'>>) {}

  rows<Row>(statement: Statement, ...values: unknown[]): Promise<Row[]> {
    return this.connection.query<Row[]>(statement.mysql, values);
  }

  async run(statement: Statement, ...values: unknown[]): Promise<number> {
    const { affectedRows } = await this.connection.query<UpsertResult>(statement.mysql, values);
    return affectedRows;
  }

  async insertRows(into: string, row: string, rows: readonly unknown[][]): Promise<void> {
    if (rows.length === 0) return;
    // To others the driver would send each row by itself, all of them before the first is answered.
    if (this.connection.info?.isMariaDB()) await this.connection.batch(`${into} ${row}`, rows);
    else await this.run(insertStatement(into, row, rows.length), ...rows.flat());
  }
}

export class MySqlDriver extends MySqlSql implements Driver {
  constructor(private readonly pool: Pool) {
    super(pool);
  }

  async runThenRows<Row>(first: Asked, then: Asked): Promise<Row[]> {
    const connection = await this.pool.getConnection();
    let found: Promise<Row[]>;
    try {
      const sql = new MySqlSql(connection);
      const done = sql.run(first.statement, ...first.values);
      found = sql.rows<Row>(then.statement, ...then.values);
      await Promise.allSettled([done, found]);
      await done;
    } finally {
      await connection.release();
    }
    return found.catch(() => this.rows<Row>(then.statement, ...then.values));
  }

  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.within(['START TRANSACTION'], work);
  }

  snapshot<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    // The level is that of the next transaction alone; the session's own stays READ COMMITTED.
    const begin = 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY';
    return this.within(['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', begin], work);
  }

  private async within<Result>(begin: readonly string[], work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const connection = await this.pool.getConnection();
    try {
      for (const statement of begin) await connection.query(statement);
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
