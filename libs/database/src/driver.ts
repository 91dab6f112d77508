import type { Dialect } from './dialect.js';

/** One statement in the words of each database. Rows go in together, as a rule as one JSON text: any number of them is one round trip. */
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
   * One INSERT of all rows. MariaDB takes them unread: half of what reading them as SQL costs, on both sides.
   * @param into `INSERT INTO t (a, b) VALUES`
   * @param row `(?, ?)`. A value may be null or a text, or always a number: where that changes, MariaDB is sent a second statement,
   *   which would be on its way when the first one fails and ends the transaction.
   */
  insertRows(into: string, row: string, rows: readonly unknown[][]): Promise<void>;
}

/** A statement with its values. */
export interface Asked {
  statement: Statement;
  values: readonly unknown[];
}

/**
 * The driver below Prisma, on the same pool. Prisma's own raw queries cost 2–3 ms a statement in this process, more than
 * the statement itself; see docs/decisions/0002-hot-path-below-prisma.md.
 */
export interface Driver extends Sql {
  /**
   * One statement and then another, each a transaction of its own. MySQL is sent both before the first is answered: that is one wait
   * instead of two. When the first fails, so does this; when the second does, it is asked again, since the first stands, and then
   * this fails as `Unread`.
   */
  runThenRows<Row>(first: Asked, then: Asked): Promise<Row[]>;
  /** READ COMMITTED. Rolls back when `work` throws. */
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** Reads only, and all of it as it was at one moment. */
  snapshot<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
}

/** Of one statement and then another: the first stands, what came of it could not be read. */
export class Unread extends Error {
  constructor(cause: unknown) {
    super(`what was done could not be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The INSERT in words, for so many rows. */
export function insertStatement(into: string, row: string, rows: number): Statement {
  const mysql = `${into} ${Array<string>(rows).fill(row).join()}`;
  let place = 0;
  return { mysql, postgresql: mysql.replace(/\?/g, () => `$${++place}`) };
}
