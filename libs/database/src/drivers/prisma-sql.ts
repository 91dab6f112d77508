import type { Session } from '../client.js';
import type { Dialect } from '../dialect.js';
import { insertStatement, type Sql, type Statement } from '../driver.js';

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

  async insertRows(into: string, row: string, rows: readonly unknown[][]): Promise<void> {
    if (rows.length > 0) await this.run(insertStatement(into, row, rows.length), ...rows.flat());
  }
}
