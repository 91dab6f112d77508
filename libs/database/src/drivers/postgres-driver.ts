import { createHash } from 'node:crypto';
import pg from 'pg';
import { type Asked, type Driver, insertStatement, type Sql, type Statement } from '../driver.js';

const INT8 = 20;
const TIMESTAMP = 1114;

/** Our timestamps have no zone and mean UTC; pg would read them as local time. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === TIMESTAMP) return (text: string) => new Date(`${text.replace(' ', 'T')}Z`);
    if (oid === INT8) return BigInt;
    return pg.types.getTypeParser(oid, format) as unknown;
  },
};

type Connection = Pick<pg.PoolClient, 'query'>;

/** Named, a statement is parsed once per connection instead of at every use. By its text: some are put together anew each time. */
const names = new Map<string, string>();
function nameOf({ postgresql }: Statement): string {
  const known = names.get(postgresql);
  if (known !== undefined) return known;
  const name = `punctual_${createHash('sha1').update(postgresql).digest('hex').slice(0, 16)}`;
  names.set(postgresql, name);
  return name;
}

class PostgresSql implements Sql {
  readonly dialect = 'postgresql';

  constructor(private readonly connection: Connection) {}

  async rows<Row>(statement: Statement, ...values: unknown[]): Promise<Row[]> {
    const { rows } = await this.connection.query({
      name: nameOf(statement),
      text: statement.postgresql,
      values,
      types,
    });
    return rows as Row[];
  }

  async run(statement: Statement, ...values: unknown[]): Promise<number> {
    const { rowCount } = await this.connection.query({
      name: nameOf(statement),
      text: statement.postgresql,
      values,
      types,
    });
    return rowCount ?? 0;
  }

  async insertRows(into: string, row: string, rows: readonly unknown[][]): Promise<void> {
    if (rows.length > 0) await this.run(insertStatement(into, row, rows.length), ...rows.flat());
  }
}

export class PostgresDriver extends PostgresSql implements Driver {
  constructor(private readonly pool: pg.Pool) {
    super(pool);
  }

  async runThenRows<Row>(first: Asked, then: Asked): Promise<Row[]> {
    await this.run(first.statement, ...first.values);
    return this.rows(then.statement, ...then.values);
  }

  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.within('BEGIN ISOLATION LEVEL READ COMMITTED', work);
  }

  snapshot<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.within('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work);
  }

  private async within<Result>(begin: string, work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const result = await work(new PostgresSql(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((lost: Error) => (broken = lost));
      throw error;
    } finally {
      // A connection that cannot even roll back is not given to anybody else.
      client.release(broken);
    }
  }
}
