import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import mariadb from 'mariadb';
import pg from 'pg';
import { createLogger } from '#config';
import { openPlatform, waitUntilReady } from '#pipeline';
import {
  type Authority,
  type Certificate,
  checkout,
  eventually,
  findMariaDb,
  findMySql,
  findRedis,
  freePort,
  makeAuthority,
  type RedisServer,
  type Stack,
  startMariaDb,
  startMySql,
  startPostgres,
  startRedis,
  TargetStub,
} from '#testing';
import { startApi, taskBody } from '../../support/api.js';
import { codeBelow, statementsBelow } from '../../support/code-blocks.js';
import { configFor, startWorker } from '../../support/product.js';

const PAGE = 'docs/outbound.md';
const PASSWORD = 'change-me';
const withRedis = findRedis() ? describe : describe.skip;

/** Once the owner has made the tables. */
const FORBIDDEN = ['CREATE TABLE mine (id int)', 'ALTER TABLE tasks ADD mine int', 'DROP TABLE api_keys'];
const SOME_KEY = `k1:${Buffer.alloc(32, 1).toString('base64')}`;

type Servers = Pick<Stack, 'databaseUrl' | 'redisUrl' | 'queuePrefix'>;
type Env = Record<string, string>;

let authority: Authority;
let certificate: Certificate;
let target: TargetStub;

beforeAll(async () => {
  authority = makeAuthority();
  certificate = authority.issue('server', ['IP:127.0.0.1']);
  target = await TargetStub.start();
});
afterAll(async () => {
  await target.close();
  authority.remove();
});

const stackOf = (servers: Servers): Stack => ({ name: 'embedded', close: () => Promise.resolve(), ...servers });

/** A server that answers says no at once; only a mistake of ours is waited for. */
const REFUSED_BY_MS = 20_000;

/** Why a process would not start with these. */
async function refusal(servers: Servers, env: Env): Promise<string> {
  const config = configFor(stackOf(servers), env);
  const platform = openPlatform(config, createLogger(config, 'test'));
  try {
    await waitUntilReady(platform, AbortSignal.timeout(REFUSED_BY_MS));
    return 'it started';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await platform.close();
  }
}

/** The exit code of a command, as it is built. */
const command = (app: 'keys' | 'secrets', env: Env, ...args: string[]): Promise<number> =>
  new Promise((resolve) => {
    const options = { cwd: checkout, env: { ...process.env, ...env } };
    execFile(process.execPath, [`dist/apps/${app}/src/main.js`, ...args], options, (error) =>
      resolve(Number(error?.code ?? 0)),
    );
  });

/**
 * The API migrates as the owner and stops; API and worker then run with the lesser user, through what touches the database and
 * the queue: delayed retries, priorities, notices, a cancel signal.
 */
async function liveThrough(owner: Servers, app: Servers, env: Env): Promise<void> {
  await (await startApi(stackOf(owner), env)).stop();
  const worker = await startWorker(stackOf(app), { ...env, NOTIFY_RETRY_SECONDS: '1' });
  const api = await startApi(stackOf(app), env);
  try {
    const hung = `/hung-${app.queuePrefix}`;
    target.on('/flaky', (_, nth) => ({ status: nth % 2 === 1 ? 503 : 200 })).on(hung, { hang: true });
    const run = async (fields: object) => {
      const task = await api.http.post('/tasks', taskBody({ target_url: `${target.url}/ok`, ...fields }));
      const started = await api.http.post(`/tasks/${task.data.id}/runs`);
      expect([task.status, started.status]).toEqual([201, 202]);
      return started.data.id as string;
    };
    const becomes = (id: string, status: string) =>
      eventually(async () => (await api.http.get(`/runs/${id}`)).data.status === status, `${id} is ${status}`, 60_000);
    const retried = { strategy: 'fixed', interval_seconds: 1, max_attempts: 3 };
    const notify = { success: { url: `${target.url}/flaky` } };
    await becomes(await run({ priority: 5, notify }), 'SUCCESS');
    await becomes(await run({ target_url: `${target.url}/flaky`, retry_policy_json: retried }), 'SUCCESS');
    const canceled = await run({ target_url: target.url + hung });
    await target.waitFor((calls) => calls.some((call) => call.path === hung));
    await api.http.post(`/runs/${canceled}/cancel`);
    await becomes(canceled, 'CANCELED');
  } finally {
    await worker.stop();
    await api.stop();
  }
}

withRedis('PostgreSQL and Redis over TLS, with the least rights that docs/outbound.md gives', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let redis: RedisServer;
  let admin: Redis;
  let tlsPort: number;

  beforeAll(async () => {
    postgres = await startPostgres();
    await secure(postgres);
    tlsPort = await freePort();
    const files = ['--tls-cert-file', certificate.certFile, '--tls-key-file', certificate.keyFile];
    const args = ['--tls-port', String(tlsPort), ...files, '--tls-ca-cert-file', authority.certFile];
    redis = await startRedis({ args: [...args, '--tls-auth-clients', 'no'] });
    admin = new Redis(redis.url);
    const words = codeBelow(PAGE, 'Redis: a user with what is needed').replace(/\\\n/g, ' ').replace(/'/g, '');
    await admin.call('ACL', ...words.trim().split(/\s+/).slice(2));
  });
  afterAll(async () => {
    admin?.disconnect();
    await redis?.stop();
    await postgres?.stop();
  });

  /** TLS on and for everybody, the roles and the database of the page. */
  const secure = async (server: typeof postgres) => {
    const { dataDir } = server;
    const { uid, gid } = fs.statSync(dataDir);
    for (const [name, text] of Object.entries({ 'server.crt': certificate.cert, 'server.key': certificate.key })) {
      fs.writeFileSync(path.join(dataDir, name), text, { mode: 0o600 });
      fs.chownSync(path.join(dataDir, name), uid, gid);
    }
    fs.writeFileSync(path.join(dataDir, 'pg_hba.conf'), 'hostssl all all all scram-sha-256\n');
    const statements = statementsBelow(PAGE, 'PostgreSQL: an owner and a user');
    const inside = statements.filter((one) => one.startsWith('ALTER'));
    const client = new pg.Client(server.url());
    await client.connect();
    for (const one of statements.filter((other) => !inside.includes(other))) await client.query(one);
    const own = new pg.Client(server.url('punctual'));
    await own.connect();
    for (const one of inside) await own.query(one);
    await own.end();
    await client.query('ALTER SYSTEM SET ssl = on');
    await client.query('SELECT pg_reload_conf()');
    await client.end();
  };

  const database = (role: string, host = '127.0.0.1') =>
    `postgresql://${role}:${PASSWORD}@${host}:${postgres.port}/punctual`;
  const queue = (password = PASSWORD, host = '127.0.0.1') => `rediss://punctual:${password}@${host}:${tlsPort}`;
  const servers = (role: string, redisUrl?: string): Servers => ({
    databaseUrl: database(role),
    redisUrl,
    queuePrefix: 'punctual',
  });
  const env = (): Env => ({ DATABASE_CA_FILE: authority.certFile, REDIS_CA_FILE: authority.certFile });
  const databaseEnv = (): Env => ({ DATABASE_CA_FILE: authority.certFile });

  it('runs, retries, notices and cancels work; Redis has had to refuse nothing', async () => {
    await liveThrough(servers('punctual_owner', queue()), servers('punctual_app', queue()), env());
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
  });

  it('the same with the queue in PostgreSQL', async () => {
    await liveThrough(servers('punctual_owner'), servers('punctual_app'), databaseEnv());
  });

  it('that Redis user can do nothing to others', async () => {
    const user = new Redis(queue(), { tls: { ca: authority.cert } });
    for (const command of [['FLUSHALL'], ['CONFIG', 'GET', '*'], ['GET', 'other:key'], ['PUBLISH', 'other', 'x']]) {
      await expect(user.call(command[0], ...command.slice(1))).rejects.toThrow('NOPERM');
    }
    await expect(user.eval("return redis.call('GET', 'other:key')", 0)).rejects.toThrow(
      /can't access at least one of the keys|NOPERM/,
    );
    user.disconnect();
    await admin.call('ACL', 'LOG', 'RESET');
  });

  it('a server that cannot prove who it is, or wants what it does not get, is named with the setting to change', async () => {
    const other = makeAuthority();
    try {
      const postgresOnly = servers('punctual_owner');
      expect(await refusal(postgresOnly, { DATABASE_CA_FILE: other.certFile })).toMatch(
        /^the database refuses us \(.*certificate.*\): .*set DATABASE_CA_FILE to/,
      );
      expect(await refusal(postgresOnly, {})).toMatch(
        /no encryption.*encrypted connections only: set DATABASE_CA_FILE/,
      );
      const both = servers('punctual_owner', queue());
      expect(await refusal(both, { ...env(), REDIS_CA_FILE: other.certFile })).toMatch(
        /^the queue refuses us \(.*certificate.*\): .*set REDIS_CA_FILE to/,
      );
      expect(await refusal(both, databaseEnv())).toMatch(/the queue refuses us .*set REDIS_CA_FILE to/);
      const wrongPassword = servers('punctual_owner', queue('wrong'));
      expect(await refusal(wrongPassword, env())).toMatch(/WRONGPASS.*check user, password and database in REDIS_URL/);
    } finally {
      other.remove();
    }
  });

  it('a certificate for another host is not accepted, of PostgreSQL or of Redis', async () => {
    const elsewhere = { ...servers('punctual_owner'), databaseUrl: database('punctual_owner', 'localhost') };
    expect(await refusal(elsewhere, databaseEnv())).toMatch(/altnames.*in DATABASE_URL a host that it is for/);
    const queueElsewhere = servers('punctual_owner', queue(PASSWORD, 'localhost'));
    expect(await refusal(queueElsewhere, env())).toMatch(/^the queue refuses us .*altnames.*in REDIS_URL a host/);
  });

  it('keys:create and secrets:rotate come in like everybody else', async () => {
    const own = { ...databaseEnv(), DATABASE_URL: database('punctual_owner'), REDIS_URL: '', SECRET_KEYS: SOME_KEY };
    expect(await command('keys', own)).toBe(0);
    expect(await command('secrets', own, '--check')).toBe(0);
  });

  it('that PostgreSQL user cannot make, change or drop a table', async () => {
    const user = new pg.Client({ connectionString: database('punctual_app'), ssl: { ca: authority.cert } });
    await user.connect();
    for (const one of FORBIDDEN) await expect(user.query(one)).rejects.toThrow(/permission denied|must be owner/);
    await user.end();
  });

  it('a user without a right that is needed is told where to read', async () => {
    await admin.call('ACL', 'SETUSER', 'poor', 'on', `>${PASSWORD}`, '~punctual:*', '-@all', '+ping', '+hello');
    const poor = servers('punctual_owner', `rediss://poor:${PASSWORD}@127.0.0.1:${tlsPort}`);
    expect(await refusal(poor, env())).toMatch(/NOPERM.*the user of REDIS_URL lacks a right .*docs\/outbound\.md/);
  });
});

const FAMILY = [
  { name: 'MariaDB', find: findMariaDb, start: startMariaDb },
  { name: 'MySQL', find: findMySql, start: startMySql },
];

for (const { name, find, start } of FAMILY) {
  const withIt = findRedis() && find() ? describe : describe.skip;
  withIt(`${name} over TLS, with the least rights that docs/outbound.md gives`, () => {
    let server: Awaited<ReturnType<typeof start>>;
    let redis: RedisServer;

    beforeAll(async () => {
      const files = [`--ssl-cert=${certificate.certFile}`, `--ssl-key=${certificate.keyFile}`];
      server = await start({ args: [...files, `--ssl-ca=${authority.certFile}`] });
      redis = await startRedis();
      const { username: user, password, port } = new URL(server.url());
      const place = { host: '127.0.0.1', port: Number(port), allowPublicKeyRetrieval: true };
      const client = await mariadb.createConnection({ ...place, user, password });
      for (const one of statementsBelow(PAGE, 'MariaDB and MySQL')) await client.query(one);
      await client.query('SET GLOBAL require_secure_transport = ON');
      await client.end();
    });
    afterAll(async () => {
      await redis?.stop();
      await server?.stop();
    });

    const servers = (user: string, host = '127.0.0.1'): Servers => ({
      databaseUrl: `mysql://${user}:${PASSWORD}@${host}:${server.port}/punctual`,
      redisUrl: redis.url,
      queuePrefix: 'punctual',
    });

    it('runs, retries, notices and cancels work', async () => {
      const env = { DATABASE_CA_FILE: authority.certFile };
      await liveThrough(servers('punctual_owner'), servers('punctual_app'), env);
    });

    it('that user cannot make, change or drop a table', async () => {
      const ssl = { ca: [authority.cert], rejectUnauthorized: true, host: '127.0.0.1' };
      const place = { host: '127.0.0.1', port: server.port, database: 'punctual', ssl };
      const user = await mariadb.createConnection({ ...place, user: 'punctual_app', password: PASSWORD });
      for (const one of FORBIDDEN) await expect(user.query(one)).rejects.toThrow(/command denied/);
      await user.end();
    });

    it('a certificate for another host is not accepted', async () => {
      const elsewhere = servers('punctual_owner', 'localhost');
      expect(await refusal(elsewhere, { DATABASE_CA_FILE: authority.certFile })).toMatch(
        /^the database refuses us .*in DATABASE_URL a host that it is for/,
      );
    });

    it('a server that cannot prove who it is, or wants what it does not get, is named with the setting to change', async () => {
      const other = makeAuthority();
      try {
        expect(await refusal(servers('punctual_owner'), { DATABASE_CA_FILE: other.certFile })).toMatch(
          /^the database refuses us \(.*certificate.*\): .*set DATABASE_CA_FILE to/,
        );
        expect(await refusal(servers('punctual_owner'), {})).toMatch(
          /an account that requires TLS needs DATABASE_CA_FILE/,
        );
      } finally {
        other.remove();
      }
    });
  });
}
