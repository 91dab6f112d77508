import type { Database, Session } from './client.js';
import type { Dialect } from './dialect.js';

/** One statement in the words of each database. Rows go in as one JSON text, so any number of them is one round trip. */
export interface Statement {
  readonly postgresql: string;
  readonly mysql: string;
}

/** A session that knows its dialect: what the statements in `sql/` run on. */
export class Sql {
  constructor(
    private readonly session: Session,
    readonly dialect: Dialect,
  ) {}

  static on(database: Database, session: Session = database.client): Sql {
    return new Sql(session, database.dialect);
  }

  rows<Row>(statement: Statement, ...values: unknown[]): Promise<Row[]> {
    return this.session.$queryRawUnsafe<Row[]>(statement[this.dialect], ...values);
  }

  run(statement: Statement, ...values: unknown[]): Promise<number> {
    return this.session.$executeRawUnsafe(statement[this.dialect], ...values);
  }
}
