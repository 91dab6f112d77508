import type { Dialect } from './dialect.js';

/** One statement in the words of each database. Rows go in as one JSON text, so any number of them is one round trip. */
export interface Statement {
  readonly postgresql: string;
  readonly mysql: string;
}

/** What the statements in `sql/` run on: a connection, or a transaction. */
export interface Sql {
  readonly dialect: Dialect;
  rows<Row>(statement: Statement, ...values: unknown[]): Promise<Row[]>;
  /** Answers with the number of rows it met. */
  run(statement: Statement, ...values: unknown[]): Promise<number>;
  /**
   * The statement once for each row of values, in their order, and the number of rows they met in all. MariaDB takes them as one, and
   * unread: half of what reading them as SQL or as JSON costs, on both sides. Within a transaction only: each may be one of its own.
   */
  runEach(statement: Statement, rows: readonly unknown[][]): Promise<number>;
}

/**
 * The driver below Prisma, on the same pool. Prisma's own raw queries cost 2–3 ms a statement in this process, more than
 * the statement itself; see docs/decisions/0002-hot-path-below-prisma.md.
 */
export interface Driver extends Sql {
  /** READ COMMITTED. Rolls back when `work` throws. */
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** Reads only, and all of it as it was at one moment. */
  snapshot<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
}
