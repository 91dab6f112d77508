import { afterAll, describe, expect, it } from '@jest/globals';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { authModeOf } from './auth-mode.js';
import { ConfigError, type Environment, loadEnvironment, readConfig, readServerConfig } from './read-config.js';
import { type Config, SETTINGS } from './settings.js';

function problemsOf(env: Environment, read: (env: Environment) => Config = readConfig): readonly string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('needs nothing: every setting has a default, which is what its table says', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: null,
      outboundAllow: [],
      scheduler: true,
    });
    const spelledOut = Object.values(SETTINGS).map(({ name, fallback }) => [name, fallback]);
    expect(readConfig(Object.fromEntries(spelledOut) as Environment)).toEqual(config);
  });

  it('takes an empty or blank setting for one that is not set', () => {
    expect(readConfig({ PORT: '', HOST: '  ', REDIS_URL: '' })).toEqual(readConfig({}));
  });

  it.each<[string, string, keyof Config, unknown]>([
    ['PORT', ' 8080 ', 'port', 8080],
    ['PORT', '0', 'port', 0],
    ['BODY_LIMIT', '64kb', 'bodyLimitBytes', 65_536],
    ['BODY_LIMIT', '2 MB', 'bodyLimitBytes', 2_097_152],
    ['SCHEDULER', 'disabled', 'scheduler', false],
    ['SCHEDULER', 'FALSE', 'scheduler', false],
    ['DEMO_TARGET', '1', 'demoTarget', true],
    ['LOG_LEVEL', 'warn', 'logLevel', 'warn'],
    ['OUTBOUND_ALLOW', ' 10.0.0.0/8, ,*.internal:8080 ', 'outboundAllow', ['10.0.0.0/8', '*.internal:8080']],
    ['DATABASE_URL', 'postgresql://u:p@db/x', 'databaseUrl', 'postgresql://u:p@db/x'],
  ])('reads %s=%j', (name, given, key, expected) => {
    expect(readConfig({ [name]: given })[key]).toEqual(expected);
  });

  it.each<[string, string, string]>([
    ['PORT', 'nine', 'whole number 0–65535'],
    ['PORT', '65536', 'whole number 0–65535'],
    ['PORT', '-1', 'whole number 0–65535'],
    ['PORT', '3000.5', 'whole number 0–65535'],
    ['PORT', '0x10', 'whole number 0–65535'],
    ['DISPATCH_SIZE', '0', 'whole number 1–500'],
    ['BODY_LIMIT', '1gb', 'bytes 1024–67108864, kb and mb understood'],
    ['BODY_LIMIT', '65mb', 'bytes 1024–67108864, kb and mb understood'],
    ['SCHEDULER', 'yes please', 'enabled, disabled'],
    ['LOG_LEVEL', 'loud', 'trace, debug, info, warn, error, silent'],
    ['DATABASE_URL', 'sqlite://x', 'postgresql://…, postgres://…, mysql://…, mariadb://…'],
    ['DATABASE_URL', 'not a url', 'postgresql://…, postgres://…, mysql://…, mariadb://…'],
    ['REDIS_URL', 'http://redis', 'redis://…, rediss://…'],
    ['REDIS_URL', 'redis://', 'redis://…, rediss://…'],
  ])('refuses %s=%j, and says what was given and what is allowed', (name, given, allowed) => {
    expect(problemsOf({ [name]: given })).toEqual([`${name} is "${given}", allowed: ${allowed}`]);
  });

  it('refuses a password that nobody could take apart, says how to write it, and does not show it', () => {
    const [problem] = problemsOf({ OUTBOUND_PROXY: 'http://user:100%sure@proxy.example:3128' });
    expect(problem).toMatch(/^OUTBOUND_PROXY is .* write %25 for one\)$/);
    expect(problem).not.toContain('sure');
    expect(problemsOf({ OUTBOUND_PROXY: 'http://user:100%25sure@proxy.example:3128' })).toEqual([]);
  });

  it('reports every problem at once', () => {
    const env = { PORT: 'nine', LEASE_SECONDS: '1', LOG_FORMAT: 'xml', DATABASE_URL: 'mysql://u@db/x' };
    const problems = problemsOf(env);
    expect(problems.map((line) => line.split(' ', 1)[0])).toEqual(['PORT', 'LEASE_SECONDS', 'LOG_FORMAT', 'REDIS_URL']);
    const message = new ConfigError(problems).message;
    expect(message).toContain('4 problem(s)');
    for (const line of problems) expect(message).toContain(line);
  });

  it('can refuse every setting that is not free text', () => {
    const lenient = ['text', 'comma-separated list'];
    const strict = Object.values(SETTINGS).filter(({ allowed }) => !lenient.includes(allowed));
    const problems = problemsOf(Object.fromEntries(strict.map(({ name }) => [name, '§'])));
    expect(problems.map((line) => line.split(' ', 1)[0])).toEqual(strict.map(({ name }) => name));
  });

  it.each([
    ['DATABASE_URL', 'mysq://punctual:hunter2@db/x'],
    ['REDIS_URL', 'http://:hunter2@redis'],
    ['DATABASE_URL', 'sqlite://punctual:h@r:d hunter2@db/x'],
    ['DATABASE_URL', 'punctual:hunter2@db:3306/x'],
  ])('keeps the password in %s=%s out of what it says', (name, given) => {
    const [problem] = problemsOf({ [name]: given });
    expect(problem).toContain(':***@');
    expect(problem).not.toContain('hunter2');
  });

  it.each(['mysql', 'mariadb'])('asks for Redis beside %s, where the queue cannot live in the database', (scheme) => {
    const databaseUrl = `${scheme}://u:p@db/x`;
    expect(problemsOf({ DATABASE_URL: databaseUrl })).toEqual([expect.stringMatching(/^REDIS_URL is not set, but/)]);
    expect(problemsOf({ DATABASE_URL: databaseUrl, REDIS_URL: 'redis://r' })).toEqual([]);
    expect(problemsOf({ DATABASE_URL: databaseUrl, REDIS_URL: 'nonsense' })).toHaveLength(1);
  });

  it('gives an object that nobody can change', () => {
    const config = readConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  });
});

describe('readServerConfig', () => {
  it('insists on a database', () => {
    expect(problemsOf({}, readServerConfig)).toEqual([expect.stringMatching(/^DATABASE_URL is not set/)]);
    expect(problemsOf({ DATABASE_URL: 'postgres://db/x' }, readServerConfig)).toEqual([]);
  });
});

describe('AUTH_MODE', () => {
  const modeOf = (env: Environment) => authModeOf(readConfig(env));

  it.each([
    [{}, 'none'],
    [{ HOST: 'localhost' }, 'none'],
    [{ HOST: '::1' }, 'none'],
    [{ HOST: '127.0.0.5' }, 'none'],
    [{ HOST: '0.0.0.0' }, 'keys'],
    [{ HOST: '::' }, 'keys'],
    [{ HOST: 'example.com' }, 'keys'],
    [{ HOST: '127.evil.example' }, 'keys'],
    [{ AUTH_MODE: 'keys' }, 'keys'],
    [{ AUTH_MODE: 'keys', HOST: '0.0.0.0' }, 'keys'],
  ])('of %j is %s', (env, mode) => expect(modeOf(env)).toBe(mode));

  it.each(['0.0.0.0', '::', '10.0.0.7', 'example.com'])('cannot be none while HOST is %s', (HOST) => {
    expect(problemsOf({ AUTH_MODE: 'none', HOST })).toEqual([
      expect.stringMatching(/^AUTH_MODE is "none", but HOST is/),
    ]);
  });
});

describe('TRUST_PROXY', () => {
  it.each(['loopback', '10.0.0.0/8, 192.168.1.1', 'fd00::/8,::1', 'uniquelocal'])('takes %s', (given) => {
    expect(readConfig({ TRUST_PROXY: given }).trustProxy).toEqual(given.split(',').map((item) => item.trim()));
  });

  it.each(['true', '1', 'proxy.example', '10.0.0.0/33', '::/129', '10.0.0.1,'])('refuses %s', (given) => {
    expect(problemsOf({ TRUST_PROXY: given })).toHaveLength(1);
  });
});

describe('loadEnvironment', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'punctual-env-'));
  const file = path.join(folder, '.env');
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  it('is the environment itself when there is no file', () => {
    expect(loadEnvironment(path.join(folder, 'nothing'), { PORT: '1' })).toEqual({ PORT: '1' });
  });

  it('fills in from the file what the environment does not set; the environment wins, even when it is empty', () => {
    fs.writeFileSync(file, '# a comment\nPORT=4000\nHOST="::1"\nREDIS_URL=redis://file\n');
    const env = loadEnvironment(file, { PORT: '5000', REDIS_URL: '' });
    expect(env).toEqual({ PORT: '5000', HOST: '::1', REDIS_URL: '' });
    expect(readConfig(env)).toMatchObject({ port: 5000, host: '::1', redisUrl: null });
  });
});

describe('SECRET_KEYS', () => {
  const key = Buffer.alloc(32, 1).toString('base64');

  it('is a list of named keys of 256 bits', () => {
    const { secretKeys } = readConfig({ SECRET_KEYS: ` k2:${key} , k1:${key}` });
    expect(secretKeys.map(({ id, key: { symmetricKeySize } }) => [id, symmetricKeySize])).toEqual([
      ['k2', 32],
      ['k1', 32],
    ]);
  });

  it.each([
    ['no name', key],
    ['too short', 'k1:c2hvcnQ='],
    ['the same name twice', `k1:${key},k1:${key}`],
    ['odd', 'k 1:x'],
  ])('refuses %s, and does not repeat it', (_title, given) => {
    const [problem] = problemsOf({ SECRET_KEYS: given });
    expect(problem).toBe('SECRET_KEYS is "***", allowed: comma-separated <name>:<base64 of 32 bytes>');
  });
});
