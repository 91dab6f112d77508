import type { Database, Session } from './client.js';
import type { Sql as SqlSession, Statement } from './driver.js';
import { PrismaSql } from './drivers/prisma-sql.js';

export type { Statement } from './driver.js';
export type Sql = SqlSession;

/** Statements on the driver, or, where a session of Prisma's is given, inside its transaction. */
export const Sql = {
  on: (database: Database, session?: Session): Sql =>
    session === undefined ? database.driver : new PrismaSql(session, database.dialect),
};

/** A statement that only MySQL needs. */
export function onlyMySql(mysql: string): Statement {
  return { mysql, postgresql: 'SELECT 1 / 0' };
}

/** A statement that only PostgreSQL knows. */
export function onlyPostgres(postgresql: string): Statement {
  return { postgresql, mysql: 'SELECT 1 FROM only_postgresql_knows' };
}
