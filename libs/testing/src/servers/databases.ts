import { randomBytes } from 'node:crypto';
import mariadb from 'mariadb';
import pg from 'pg';

/** A database of one test's own on a running server. */
export interface TestDatabase {
  name: string;
  url: string;
  drop(): Promise<void>;
}

/** @param serverUrl any database on the server, with the right to create more; postgresql:// or mysql:// */
export async function createTestDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const execute = new URL(serverUrl).protocol.startsWith('postgres') ? onPostgres : onMySql;
  await execute(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const force = execute === onPostgres ? ' WITH (FORCE)' : '';
  return { name, url: url.href, drop: () => execute(serverUrl, `DROP DATABASE IF EXISTS ${name}${force}`) };
}

async function onPostgres(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function onMySql(url: string, statement: string): Promise<void> {
  const { hostname, port, username, password } = new URL(url);
  const connection = await mariadb.createConnection({
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    allowPublicKeyRetrieval: true,
  });
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}
