import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { readServerConfig, SETTINGS } from '#config';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

interface Service {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string | number>;
  healthcheck?: { test: string[]; interval: string };
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  ports?: string[];
  deploy?: { replicas: number };
  user?: string;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  privileged?: boolean;
  cap_add?: string[];
}

const source = read('docker-compose.yml');
const compose = parse(source, { merge: true }) as { services: Record<string, Service>; volumes: object };
const { api, worker, mysql, redis } = compose.services;

/** `${NAME:-default}`, as compose would fill it in without an environment. */
const withDefaults = (text: string | number) => String(text).replace(/\$\{\w+:-([^}]*)\}/g, '$1');
const environmentOf = ({ environment = {} }: Service) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, withDefaults(value)]));

describe('docker-compose.yml', () => {
  it('has the API, workers, MySQL 8 and Redis 7', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['api', 'mysql', 'redis', 'worker']);
    expect(mysql.image).toMatch(/^mysql:8/);
    expect(redis.image).toMatch(/^redis:7/);
    expect(worker.deploy?.replicas).toBe(2);
  });

  it.each(Object.keys(compose.services))('watches over the health of %s', (name) => {
    const { test, interval } = compose.services[name].healthcheck!;
    expect(['CMD', 'CMD-SHELL']).toContain(test[0]);
    expect(interval).toMatch(/^\d+s$/);
  });

  it.each(['api', 'worker'])('builds %s from the one image and starts it when its servers are healthy', (name) => {
    const { build, depends_on } = compose.services[name];
    expect(build).toBe('.');
    expect(depends_on).toEqual({ mysql: { condition: 'service_healthy' }, redis: { condition: 'service_healthy' } });
  });

  it.each(['api', 'worker'])('sets only what %s knows, to values it takes', (name) => {
    const environment = environmentOf(compose.services[name]);
    const known = Object.values(SETTINGS).map((setting) => setting.name);
    expect(Object.keys(environment).filter((setting) => !known.includes(setting))).toEqual([]);
    expect(readServerConfig(environment)).toMatchObject({ host: '0.0.0.0', logFormat: 'json' });
  });

  it('asks each app for its readiness where that app answers', () => {
    expect(api.healthcheck?.test.at(-1)).toContain(`:${api.environment?.PORT}/readyz`);
    expect(worker.healthcheck?.test.at(-1)).toContain(`:${worker.environment?.WORKER_PORT}/readyz`);
  });

  it('gives the apps the names, users and passwords that the servers have', () => {
    const { databaseUrl, redisUrl } = readServerConfig(environmentOf(api));
    const [database, queue] = [new URL(databaseUrl), new URL(redisUrl!)];
    const { MYSQL_USER, MYSQL_PASSWORD, MYSQL_DATABASE } = environmentOf(mysql);
    expect([database.hostname, queue.hostname]).toEqual(['mysql', 'redis']);
    expect([database.username, database.password]).toEqual([MYSQL_USER, MYSQL_PASSWORD]);
    expect(database.pathname).toBe(`/${MYSQL_DATABASE}`);
    expect(queue.password).toBe(withDefaults(redis.command!.at(-1)!));
    expect(environmentOf(worker)).toMatchObject({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl });
  });

  it.each(['api', 'worker'])('runs %s not as root, on a read-only file system, without any capability', (name) => {
    const { user, read_only, tmpfs, cap_drop, security_opt, volumes } = compose.services[name];
    expect([user, read_only, tmpfs, cap_drop]).toEqual(['1000:1000', true, ['/tmp'], ['ALL']]);
    expect(security_opt).toContain('no-new-privileges:true');
    expect(volumes).toBeUndefined();
  });

  it.each(Object.keys(compose.services))('lets no process of %s gain privileges', (name) => {
    const { security_opt, privileged, cap_add } = compose.services[name];
    expect([security_opt, privileged, cap_add]).toEqual([['no-new-privileges:true'], undefined, undefined]);
  });

  it('keeps Redis on disk and never lets it evict', () => {
    const flags = redis.command!.join(' ');
    expect(flags).toContain('--appendonly yes');
    expect(flags).toContain('--maxmemory-policy noeviction');
  });

  it('keeps the data of both servers in volumes', () => {
    expect(mysql.volumes).toEqual(['mysql:/var/lib/mysql']);
    expect(redis.volumes).toEqual(['redis:/data']);
    expect(Object.keys(compose.volumes)).toEqual(['mysql', 'redis']);
  });

  it('takes every password from the environment, and marks the defaults as for development', () => {
    const secrets = [...source.matchAll(/\$\{(\w*PASSWORD):-([^}]*)\}/g)];
    expect(new Set(secrets.map(([, name]) => name))).toEqual(
      new Set(['MYSQL_PASSWORD', 'MYSQL_ROOT_PASSWORD', 'REDIS_PASSWORD']),
    );
    for (const [, , fallback] of secrets) expect(fallback).toMatch(/^dev-only-/);
  });

  it('opens the API to this machine only, and the servers to nobody', () => {
    expect(api.ports).toEqual(['127.0.0.1:3000:3000']);
    for (const service of [worker, mysql, redis]) expect(service.ports).toBeUndefined();
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');

  it('starts files that the build makes', () => {
    const commands = [lines.find((line) => line.startsWith('CMD'))!, worker.command!.join(' ')];
    for (const command of commands) {
      const [, entry] = /dist\/(apps\/\w+\/src\/main)\.js/.exec(command)!;
      expect(read(`${entry}.ts`)).toContain('main(');
    }
  });

  it('builds in one stage and runs in another, not as root, with a health check', () => {
    expect(lines.filter((line) => line.startsWith('FROM'))).toHaveLength(2);
    expect(lines.indexOf('USER 1000:1000')).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('COPY')));
    expect(lines.some((line) => line.startsWith('HEALTHCHECK'))).toBe(true);
  });

  it('sets only what the apps, or Node.js itself, know', () => {
    const names = lines
      .filter((line) => line.startsWith('ENV '))
      .flatMap((line) => line.slice(4).split(/\s+|=\S+\s*/))
      .filter(Boolean);
    const known = Object.values(SETTINGS).map((setting) => setting.name);
    expect(names.filter((name) => !known.includes(name))).toEqual(['UV_THREADPOOL_SIZE', 'NODE_ENV']);
  });
});
