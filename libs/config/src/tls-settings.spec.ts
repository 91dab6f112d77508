import { afterAll, describe, expect, it } from '@jest/globals';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { trustedOf } from './ca-file.js';
import { type ConfigError, type Environment, readConfig } from './read-config.js';
import { postgresAddress, serverTls } from './server-tls.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'punctual-ca-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  const place = path.join(folder, name);
  fs.writeFileSync(place, text);
  return place;
};
const [one, two] = tls.rootCertificates;
const good = file('good.pem', `# ours\n${one}\n${two}\n`);

function problemsOf(env: Environment): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

describe('a setting for certificates', () => {
  it('is read at start: all certificates of the file', () => {
    const { outboundCaFile } = readConfig({ OUTBOUND_CA_FILE: good });
    expect(outboundCaFile).toEqual({ path: good, certificates: [one, two].map((pem) => pem.trim()) });
    expect(readConfig({ OUTBOUND_CA_FILE: 'system' }).outboundCaFile).toEqual({ path: 'system', certificates: null });
  });

  it.each([
    ['missing.pem', null, 'there is no such file'],
    ['.', null, 'it cannot be read: EISDIR'],
    ['empty.pem', '', 'the file has no certificate in it'],
    ['key.pem', '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n', 'no certificate in it'],
    ['cut.pem', `${one.slice(0, 200)}\n-----END CERTIFICATE-----\n`, 'the file has a damaged certificate in it'],
  ])('names itself and what is wrong with %s', (name, text, reason) => {
    const place = text === null ? path.join(folder, name) : file(name, text);
    for (const setting of ['DATABASE_CA_FILE', 'REDIS_CA_FILE', 'OUTBOUND_CA_FILE']) {
      const [problem] = problemsOf({ [setting]: place, DATABASE_URL: 'postgres://db/x' });
      expect(problem).toContain(`${setting} is "${place}", allowed: file of PEM certificates, or system (`);
      expect(problem).toContain(reason);
    }
  });

  it.each([
    [{ REDIS_URL: 'redis://r', REDIS_CA_FILE: good }, 'REDIS_URL is not encrypted: write it as rediss://'],
    [{ DATABASE_URL: 'postgres://db/x?sslmode=disable', DATABASE_CA_FILE: good }, 'says sslmode=disable'],
    [{ DATABASE_URL: 'postgres://db/x?a=b&ssl=0', DATABASE_CA_FILE: good }, 'says ssl=0'],
    [{ DATABASE_URL: 'postgres://db/x?sslrootcert=/x', DATABASE_CA_FILE: good }, 'says sslrootcert='],
    [{ DATABASE_CA_FILE: good }, 'DATABASE_URL is not'],
  ])('contradicts a connection that would not use it: %j', (env, problem) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(problem)]);
  });

  it('adds to whom calls trust, and replaces whom a server of ours is trusted by', () => {
    const { outboundCaFile } = readConfig({ OUTBOUND_CA_FILE: good });
    expect(trustedOf(outboundCaFile)?.length).toBeGreaterThan(tls.rootCertificates.length);
    expect(trustedOf(null)).toBeUndefined();
    expect(serverTls(outboundCaFile, 'db.example')).toMatchObject({ servername: 'db.example' });
    expect(serverTls(outboundCaFile, '[::1]')).toEqual({
      ca: outboundCaFile?.certificates,
      rejectUnauthorized: true,
      host: '::1',
    });
    expect(serverTls(null, 'db.example')).not.toHaveProperty('ca');
  });

  it('decides over what the URL of a PostgreSQL says', () => {
    const { outboundCaFile } = readConfig({ OUTBOUND_CA_FILE: good });
    const url = 'postgresql://u:p%40@db:5433/x?sslmode=require&application_name=a';
    const address = postgresAddress(url, outboundCaFile);
    expect(address.connectionString).toBe('postgresql://u:p%40@db:5433/x?application_name=a');
    expect(address.ssl).toMatchObject({ rejectUnauthorized: true, host: 'db' });
    expect(postgresAddress(url, null)).toEqual({ connectionString: url });
  });
});

describe('rules for calls', () => {
  it.each(['OUTBOUND_ALLOW', 'OUTBOUND_DENY'])('%s is checked at start, and what is wrong is named', (setting) => {
    expect(problemsOf({ [setting]: '10.0.0.0/8,10.0.0.0/33' })).toEqual([
      expect.stringMatching(`^${setting} is .* \\("10.0.0.0/33" is not an address, network or host pattern`),
    ]);
  });
});
