import type { Session } from '../client.js';
import type { Dialect } from '../dialect.js';
import type { Sql, Statement } from '../driver.js';

/** The same statements inside a transaction of Prisma's, where they belong together with its own operations. */
export class PrismaSql implements Sql {
  constructor(
    private readonly session: Session,
    readonly dialect: Dialect,
  ) {}

  rows<Row>(statement: Statement, ...values: unknown[]): Promise<Row[]> {
    return this.session.$queryRawUnsafe<Row[]>(statement[this.dialect], ...values);
  }

  run(statement: Statement, ...values: unknown[]): Promise<number> {
    return this.session.$executeRawUnsafe(statement[this.dialect], ...values);
  }
  async runEach(statement: Statement, rows: readonly unknown[][]): Promise<number> {
    let met = 0;
    for (const values of rows) met += await this.run(statement, ...values);
    return met;
  }
}
