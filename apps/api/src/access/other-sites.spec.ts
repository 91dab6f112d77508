import { describe, expect, it } from '@jest/globals';
import { Forbidden } from '#domain';
import { refuseOtherSites } from './other-sites.js';

describe('a local start, which asks nobody for a key', () => {
  it.each([
    ...['localhost', 'localhost:3000', 'LocalHost:3000', 'punctual.localhost:3000', '127.0.0.1', '127.1.2.3:3000'],
    ...['[::1]', '[::1]:3000'],
  ])('answers to %s', (host) => {
    expect(() => refuseOtherSites({ host })).not.toThrow();
  });

  it.each([
    ...['evil.example', 'evil.example:3000', 'localhost.evil.example', '127.0.0.1.evil.example', 'evillocalhost', ''],
    ...['10.0.0.7:3000', '0.0.0.0:3000', '[::]:3000', '[fd00::1]', '169.254.169.254', 'localhost:3000:evil'],
  ])('does not answer to %j, which may be anybody’s name for it', (host) => {
    expect(() => refuseOtherSites({ host })).toThrow(Forbidden);
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:3000' },
    { 'sec-fetch-site': 'same-site', origin: 'http://localhost:5173' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://[::1]:3000' },
    {},
  ])('answers its own pages, those of this machine, and what is no page: %j', (headers) => {
    expect(() => refuseOtherSites({ host: 'localhost:3000', ...headers })).not.toThrow();
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'https://localhost.evil.example' },
    { origin: 'null' },
    { origin: '' },
  ])('does not answer the pages of others: %j', (headers) => {
    expect(() => refuseOtherSites({ host: 'localhost:3000', ...headers })).toThrow(/another site.*AUTH_MODE=keys/);
  });
});
