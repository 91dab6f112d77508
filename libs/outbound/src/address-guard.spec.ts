import { describe, expect, it } from '@jest/globals';
import { AddressGuard, type AddressRules } from './address-guard.js';

const STRICT: AddressRules = { allowLoopback: false, allow: [], deny: [] };

function dial(rules: Partial<AddressRules>, addresses: string[], host = 'name.example', port = 80): Promise<unknown> {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const guard = new AddressGuard({ ...STRICT, ...rules }, (_, done) => done(null, found));
  return new Promise((resolve) =>
    guard.lookupFor(port)(host, { all: true }, (error, all) => resolve(error ? error.message : all)),
  );
}

const literal = (rules: Partial<AddressRules>, host: string, port = 80): string | null =>
  new AddressGuard({ ...STRICT, ...rules }).checkLiteral(host, port)?.message ?? null;

describe('the lookup', () => {
  it('hands on exactly the addresses it has checked', async () => {
    expect(await dial({}, ['8.8.8.8', '2606:4700::1'])).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
  });

  it('answers in the single form too', async () => {
    const guard = new AddressGuard(STRICT, (_, done) => done(null, [{ address: '8.8.8.8', family: 4 }]));
    const answer = await new Promise((resolve) =>
      guard.lookupFor(80)('a.example', {}, (...args: unknown[]) => resolve(args)),
    );
    expect(answer).toEqual([null, '8.8.8.8', 4]);
  });

  it.each([
    [['8.8.8.8', '10.0.0.1']],
    [['169.254.169.254', '8.8.8.8']],
    [['2606:4700::1', '::1']],
    [['8.8.8.8', '::ffff:10.0.0.1']],
  ])('refuses a name that resolves to %j: one bad address is enough', async (addresses) => {
    expect(await dial({}, addresses)).toContain('calls to name.example are blocked');
  });

  it('does not say which internal address a name has', async () => {
    expect(await dial({}, ['10.11.12.13'])).not.toContain('10.11.12.13');
  });

  it('reports names without addresses', async () => {
    expect(await dial({}, [])).toBe('name.example has no address');
  });
});

describe('the rules', () => {
  it('refuse private and loopback addresses unless allowed', () => {
    expect(literal({}, '10.0.0.1')).toContain('private');
    expect(literal({}, '127.0.0.1')).toContain('loopback');
    expect(literal({}, '::1')).toContain('loopback');
    expect(literal({ allowLoopback: true }, '127.0.0.1')).toBeNull();
    expect(literal({ allowLoopback: true }, '::1')).toBeNull();
    expect(literal({ allowLoopback: true }, '::ffff:7f00:1')).toBeNull();
    expect(literal({ allowLoopback: true }, '10.0.0.1')).toContain('private');
    expect(literal({ allowLoopback: true }, '0.0.0.0')).toContain('reserved');
  });

  it.each([
    ['10.0.0.0/8', '10.9.8.7', 80, true],
    ['10.0.0.0/8', '192.168.0.1', 80, false],
    ['10.0.0.5', '10.0.0.5', 80, true],
    ['10.0.0.5', '10.0.0.6', 80, false],
    ['10.0.0.0/8', '::ffff:10.9.8.7', 80, true],
    ['10.0.0.0/8:8080', '10.9.8.7', 8080, true],
    ['10.0.0.0/8:8080', '10.9.8.7', 80, false],
    ['fd00::/8', 'fd12::1', 80, true],
    ['[fd12::1]:443', 'fd12::1', 443, true],
    ['[fd12::1]:443', 'fd12::1', 80, false],
    ['[fd00::]/8:443', 'fd12::1', 443, true],
    ['fd00::/8', '10.0.0.1', 80, false],
    ['127.0.0.0/8', '127.0.0.1', 80, true],
    ['*', '10.0.0.1', 80, true],
    ['*:443', '10.0.0.1', 80, false],
  ])('allow %s: %s port %d → %s', (rule, host, port, passes) => {
    expect(literal({ allow: [rule] }, host, port) === null).toBe(passes);
  });

  it.each([
    ['internal.example', 'internal.example', true],
    ['Internal.Example', 'INTERNAL.example.', true],
    ['internal.example', 'x.internal.example', false],
    ['*.svc.local', 'a.b.svc.local', true],
    ['*.svc.local', 'svc.local', false],
    ['*.svc.local', 'evilsvc.local', false],
    ['*.svc.local:80', 'a.svc.local', true],
    ['*.svc.local:81', 'a.svc.local', false],
  ])('allow %s: the name %s → %s', async (rule, host, passes) => {
    expect(Array.isArray(await dial({ allow: [rule] }, ['10.0.0.1'], host))).toBe(passes);
  });

  it.each([
    '169.254.169.254',
    'fd00:ec2::254',
    '100.100.100.200',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    'fe80::1',
    '0.0.0.0',
  ])('never allow %s', async (address) => {
    const allow = ['*', '0.0.0.0/0', '::/0', address.replace(/^::ffff:.*$/, '169.254.169.254')];
    expect(literal({ allow, allowLoopback: true }, address)).toContain('blocked');
    expect(await dial({ allow, allowLoopback: true }, [address])).toContain('blocked');
  });

  it('deny wins, also over public addresses and loopback', async () => {
    expect(literal({ allow: ['10.0.0.0/8'], deny: ['10.1.0.0/16'] }, '10.1.2.3')).toContain('OUTBOUND_DENY');
    expect(literal({ deny: ['8.8.8.8'] }, '8.8.8.8')).toContain('OUTBOUND_DENY');
    expect(literal({ deny: ['8.8.8.8'] }, '::ffff:808:808')).toContain('OUTBOUND_DENY');
    expect(literal({ allowLoopback: true, deny: ['*:5432'] }, '127.0.0.1', 5432)).toContain('OUTBOUND_DENY');
    expect(await dial({ deny: ['*.example'] }, ['8.8.8.8'])).toContain('OUTBOUND_DENY');
    expect(await dial({ deny: ['8.8.0.0/16'] }, ['8.8.8.8'])).toContain('OUTBOUND_DENY');
  });

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/x',
    'fd00::/129',
    'a b',
    'host:0',
    'host:70000',
    'a.*.example',
    '10.0.0.0/8/8',
    'http://x',
  ])('cannot be written as %j', (entry) => {
    expect(() => new AddressGuard({ ...STRICT, allow: [entry] })).toThrow(`"${entry}" is not an address`);
  });
});
