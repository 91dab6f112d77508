import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressKind, plainAddress } from './address-kind.js';

const kindOf = (address: string): string => addressKind(plainAddress(address));

describe('addressKind', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['100.128.0.1', 'public'],
    ['2606:4700::1111', 'public'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd00::2', 'private'],
    ['fc00::1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['0.0.0.0', 'forbidden'],
    ['0.1.2.3', 'forbidden'],
    ['169.254.169.254', 'forbidden'],
    ['100.100.100.200', 'forbidden'],
    ['168.63.129.16', 'forbidden'],
    ['192.0.0.192', 'forbidden'],
    ['224.0.0.1', 'forbidden'],
    ['240.0.0.1', 'forbidden'],
    ['255.255.255.255', 'forbidden'],
    ['198.18.0.1', 'forbidden'],
    ['::', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['fec0::1', 'forbidden'],
    ['ff02::1', 'forbidden'],
    ['fd00:ec2::254', 'forbidden'],
    ['fd00:0ec2:0:0::0254', 'forbidden'],
    ['fd20:ce::254', 'forbidden'],
    ['2001::1', 'forbidden'],
    ['2001:db8::1', 'forbidden'],
    ['100::1', 'forbidden'],
    ['4000::1', 'forbidden'],
    ['64:ff9b:1::a9fe:a9fe', 'forbidden'],
    ['nonsense', 'forbidden'],
    ['', 'forbidden'],
  ])('%s is %s', (address, kind) => {
    expect(kindOf(address)).toBe(kind);
  });

  const carriers = [
    ['mapped', (a: string) => `::ffff:${a}`],
    ['mapped, in hex', (a: string) => `::ffff:${hex(a)}`],
    ['mapped, written out', (a: string) => `0:0:0:0:0:FFFF:${hex(a)}`],
    ['compatible', (a: string) => `::${a}`],
    ['translated', (a: string) => `::ffff:0:${a}`],
    ['NAT64', (a: string) => `64:ff9b::${a}`],
    ['6to4', (a: string) => `2002:${hex(a)}::1`],
  ] as const;

  it.each(carriers)('judges %s addresses by the IPv4 address they carry', (_, carry) => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        fc.pre(!v4.startsWith('0.0.0.'));
        expect(plainAddress(carry(v4))).toBe(v4);
        expect(kindOf(carry(v4))).toBe(kindOf(v4));
      }),
      { examples: [['169.254.169.254'], ['127.0.0.1'], ['10.0.0.1'], ['8.8.8.8']] },
    );
  });

  it('has an answer for every IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (v6) => expect(['public', 'private', 'loopback', 'forbidden']).toContain(kindOf(v6))),
    );
  });
});

function hex(v4: string): string {
  const [a, b, c, d] = v4.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
