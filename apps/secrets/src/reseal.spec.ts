import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SecretBox } from '#config';
import type { TaskSecrets } from '#database';
import { headerContext, keyContext } from '#pipeline';
import { readArguments } from './arguments.js';
import { exitCodeOf, reportLines } from './report.js';
import { noFindings, reseal } from './reseal.js';

const key = (id: string, byte: number) => ({ id, key: createSecretKey(Buffer.alloc(32, byte)) });
const [before, after] = [new SecretBox([key('k1', 1)]), new SecretBox([key('k2', 2), key('k1', 1)])];
const later = new SecretBox([key('k2', 2)]);

const task = (box: SecretBox, fields: Partial<TaskSecrets> = {}): TaskSecrets => ({
  ...{ id: 7n, tenantId: 't', version: 3 },
  headers: { 'X-Own': { sealed: box.seal('own', headerContext('t', 'x-own')) }, 'X-Seen': 'yes' },
  notify: {
    error: { url: 'https://h/' },
    security: { type: 'aksk', ak: 'a', sealed: [{ key: box.seal('sk', keyContext('t')), until: '2099' }] },
  },
  ...fields,
});

describe('reseal', () => {
  it('seals everything with the first key, and leaves the rest as it is', () => {
    const findings = noFindings();
    const done = reseal(task(before), after, findings)!;
    const { sealed } = done.headers!['X-Own'] as { sealed: string };
    expect(later.open(sealed, headerContext('t', 'X-OWN'))).toBe('own');
    const [stored] = done.notify!.security!.sealed!;
    expect([later.open(stored.key, keyContext('t')), stored.until]).toEqual(['sk', '2099']);
    expect(done).toMatchObject({ id: 7n, version: 3, headers: { 'X-Seen': 'yes' } });
    expect(done.notify).toMatchObject({ error: { url: 'https://h/' }, security: { type: 'aksk', ak: 'a' } });
    expect([...findings.byKey]).toEqual([['k1', 2]]);
    expect(reseal(done, after, noFindings())).toBeNull();
  });

  it('seals headers that are secret by their name and lie there as they are', () => {
    const findings = noFindings();
    const done = reseal(task(after, { headers: { Cookie: 'c=1' }, notify: null }), after, findings)!;
    expect(later.open((done.headers!.Cookie as { sealed: string }).sealed, headerContext('t', 'cookie'))).toBe('c=1');
    expect(findings.unsealed).toBe(1);
  });

  it('leaves what it cannot open, and tells of it', () => {
    const findings = noFindings();
    expect(reseal(task(before), later, findings)).toBeNull();
    expect(findings.lost).toHaveLength(2);
    expect(findings.lost[0]).toMatchObject({ taskId: 7n, reason: expect.stringContaining('"k1"') });
  });

  it('has nothing to do for a task without secrets', () => {
    expect(
      reseal(task(before, { headers: { A: 'b' }, notify: { error: { url: 'x' } } }), after, noFindings()),
    ).toBeNull();
  });
});

describe('its report', () => {
  const pass = (fields: object = {}) => ({ ...noFindings(), tasks: 2, written: 0, left: 0, ...fields });
  const lost = [{ taskId: 7n, reason: 'no key' }];

  it.each([
    ['all is well', { write: true, first: pass(), last: pass() }, 0, '✓ everything is sealed with key "k2"'],
    [
      'some are to be sealed',
      { write: false, first: pass(), last: pass({ left: 2 }) },
      1,
      '✗ 2 tasks not sealed with key "k2"; without',
    ],
    [
      'some would not hold still',
      { write: true, first: pass(), last: pass({ left: 1 }) },
      1,
      '✗ 1 task not sealed with key "k2": they were',
    ],
    ['some are lost', { write: true, first: pass(), last: pass({ lost }) }, 1, '✗ 1 secret cannot be opened'],
  ])('%s', (_title, given, code, verdict) => {
    const report = { key: 'k2', ...given };
    expect([exitCodeOf(report), reportLines(report).at(-1)]).toEqual([code, expect.stringContaining(verdict)]);
  });

  it.each([
    [[], { kind: 'rotate', write: true }],
    [['--check'], { kind: 'rotate', write: false }],
    [['--check', '-h'], { kind: 'help' }],
    [['--force'], { kind: 'unknown', argument: '--force' }],
  ])('its arguments: %j', (given, wish) => expect(readArguments(given)).toEqual(wish));
});
