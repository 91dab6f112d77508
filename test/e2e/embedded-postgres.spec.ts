import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, ensureDatabase, startEmbeddedPostgres } from '#database';
import { freePort, makeTempDir, removeDir } from '#testing';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded PostgreSQL', () => {
  let folder: string;
  let dataDir: string;
  let server: EmbeddedPostgres | undefined;
  /** Folders outside of `folder` that data went to. */
  let elsewhere: string[] = [];

  const start = (options: { port?: number; settings?: Record<string, string> } = {}) =>
    startEmbeddedPostgres({ dataDir, durable: false, say: () => undefined, ...options });

  beforeEach(() => {
    folder = makeTempDir('embedded');
    dataDir = path.join(folder, 'postgres');
  });
  afterEach(async () => {
    await server?.stop();
    for (const place of [folder, ...elsewhere]) removeDir(place);
    elsewhere = [];
  });

  it('starts from nothing, keeps its data over a restart, and closes its data to others', async () => {
    server = await start();
    await ensureDatabase(server.url(), 'kept');
    await query(server.url('kept'), 'CREATE TABLE notes AS SELECT 42 AS n');
    await server.stop();
    expect(server.isRunning()).toBe(false);
    expect(fs.existsSync(path.join(dataDir, 'postmaster.pid'))).toBe(false);

    server = await start();
    await ensureDatabase(server.url(), 'kept');
    expect(await query(server.url('kept'), 'SELECT n FROM notes')).toEqual([{ n: 42 }]);
    expect(fs.statSync(dataDir).mode & 0o077).toBe(0);
    expect(fs.statSync(path.join(dataDir, 'punctual.password')).mode & 0o777).toBe(0o600);
  });

  it('adopts a server that is already there instead of fighting it', async () => {
    server = await start();
    const second = await start();
    expect(second).toMatchObject({ adopted: true, pid: server.pid, port: server.port });
  });

  it('moves a server to the port that is asked for', async () => {
    server = await start();
    const port = await freePort();
    const moved = await start({ port });
    expect(server.isRunning()).toBe(false);
    server = moved;
    expect(await query(moved.url(), 'SHOW port')).toEqual([{ port: String(port) }]);
  });

  it('starts over the traces of a killed one, even if its pid is somebody else’s by now', async () => {
    await (await start()).stop();
    fs.writeFileSync(path.join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n0\n1\n\n\n\nready\n`);
    server = await start();
    expect(server.adopted).toBe(false);
    expect(await query(server.url(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('says what is wrong when it cannot start, and leaves no process', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(/did not start .*shared_buffers/);
    expect(fs.existsSync(path.join(dataDir, 'postmaster.pid'))).toBe(false);
  });

  // Only root hands the server to another account, which may not enter everywhere.
  const isRoot = process.getuid?.() === 0;
  const why = isRoot ? '' : ' (left out: not root)';
  (isRoot ? it : it.skip)(
    `below a closed folder, goes on with its data, and anew where that folder is new${why}`,
    async () => {
      fs.chmodSync(folder, 0o700);
      server = await start();
      const first = server.dataDir;
      expect(first.startsWith(folder)).toBe(false);
      await server.stop();
      server = await start();
      expect(server.dataDir).toBe(first);
      await server.stop();
      for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
      server = await start();
      const second = server.dataDir;
      await server.stop();
      for (const place of [first, second]) removeDir(path.dirname(place));
      expect(second).not.toBe(first);
    },
  );

  it('does not trip over a first start that was interrupted', async () => {
    fs.mkdirSync(`${dataDir}.draft`);
    fs.writeFileSync(path.join(`${dataDir}.draft`, 'PG_VERSION'), '18');
    server = await start();
    expect(server.isRunning()).toBe(true);
  });
});
