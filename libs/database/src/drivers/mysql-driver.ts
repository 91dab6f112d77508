import type { Pool, PoolConnection, UpsertResult } from 'mariadb';
import { type Asked, type Driver, insertStatement, type Sql, type Statement, Unread } from '../driver.js';

class MySqlSql implements Sql {
  readonly dialect = 'mysql';

  constructor(
    private readonly connection: PoolConnection,
    private readonly silentMs: number,
  ) {}

  rows<Row>(statement: Statement, ...values: unknown[]): Promise<Row[]> {
    return this.answer(this.connection.query<Row[]>(statement.mysql, values));
  }

  async run(statement: Statement, ...values: unknown[]): Promise<number> {
    const { affectedRows } = await this.answer(this.connection.query<UpsertResult>(statement.mysql, values));
    return affectedRows;
  }

  async insertRows(into: string, row: string, rows: readonly unknown[][]): Promise<void> {
    if (rows.length === 0) return;
    // To others the driver would send each row by itself, all of them before the first is answered.
    if (this.connection.info?.isMariaDB()) await this.answer(this.connection.batch(`${into} ${row}`, rows));
    else await this.run(insertStatement(into, row, rows.length), ...rows.flat());
  }

  /** A server that has gone silent says nothing of the statement's time being up: then the connection is over. */
  async answer<Answer>(asked: Promise<Answer>): Promise<Answer> {
    const timer = setTimeout(() => this.connection.destroy(), this.silentMs);
    try {
      return await asked;
    } finally {
      clearTimeout(timer);
    }
  }
}

export class MySqlDriver implements Driver {
  readonly dialect = 'mysql';

  constructor(
    private readonly pool: Pool,
    private readonly silentMs: number,
  ) {}

  rows<Row>(statement: Statement, ...values: unknown[]): Promise<Row[]> {
    return this.on((sql) => sql.rows<Row>(statement, ...values));
  }

  run(statement: Statement, ...values: unknown[]): Promise<number> {
    return this.on((sql) => sql.run(statement, ...values));
  }

  insertRows(into: string, row: string, rows: readonly unknown[][]): Promise<void> {
    return this.on((sql) => sql.insertRows(into, row, rows));
  }

  async runThenRows<Row>(first: Asked, then: Asked): Promise<Row[]> {
    const found = await this.on(async (sql) => {
      const done = sql.run(first.statement, ...first.values);
      const read = sql.rows<Row>(then.statement, ...then.values);
      const [, rows] = await Promise.allSettled([done, read]);
      await done;
      return rows;
    });
    if (found.status === 'fulfilled') return found.value;
    return this.rows<Row>(then.statement, ...then.values).catch((error: unknown) => {
      throw new Unread(error);
    });
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
    const sql = new MySqlSql(connection, this.silentMs);
    try {
      for (const statement of begin) await sql.answer(connection.query(statement));
      const result = await work(sql);
      await sql.answer(connection.commit());
      return result;
    } catch (error) {
      await sql.answer(connection.rollback()).catch(() => undefined);
      throw error;
    } finally {
      await connection.release();
    }
  }

  private async on<Result>(work: (sql: MySqlSql) => Promise<Result>): Promise<Result> {
    const connection = await this.pool.getConnection();
    try {
      return await work(new MySqlSql(connection, this.silentMs));
    } finally {
      await connection.release();
    }
  }
}
