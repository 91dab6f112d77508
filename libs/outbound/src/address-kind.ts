import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** `forbidden` addresses are never called, whatever the configuration says; `private` and `loopback` can be allowed. */
export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden';

const FORBIDDEN_V4 = [
  '0.0.0.0/8', // this host
  '100.100.100.200/32', // Alibaba Cloud metadata, inside a private range
  '168.63.129.16/32', // Azure's host agent, a public address
  '169.254.0.0/16', // link-local, most clouds' metadata
  '192.0.0.0/24', // protocol assignments, Oracle Cloud metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];
const PRIVATE_V4 = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'];
/** Inside the private range, so that allowing that range must not open them. */
const METADATA_V6 = [
  'fd00:42::42/128', // Scaleway
  'fd00:a9fe:a9fe::1/128', // Linode
  'fd00:c1::a9fe:a9fe/128', // Oracle Cloud
  'fd00:ec2::/32', // all that AWS serves its instances: metadata, credentials of pods, DNS, time
  'fd20:ce::254/128', // Google Cloud
];
const RESERVED_V6 = [
  '2001::/23', // protocol assignments, Teredo
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
];

const forbiddenV4 = blockList(FORBIDDEN_V4, 'ipv4');
const privateV4 = blockList(PRIVATE_V4, 'ipv4');
const loopbackV4 = blockList(['127.0.0.0/8'], 'ipv4');
const forbiddenV6 = blockList([...METADATA_V6, ...RESERVED_V6], 'ipv6');
const privateV6 = blockList(['fc00::/7'], 'ipv6');
const globalV6 = blockList(['2000::/3'], 'ipv6');

/** Expects an address as `plainAddress` gives it. */
export function addressKind(address: string): AddressKind {
  if (isIPv4(address)) return kindOfV4(address);
  return isIPv6(address) ? kindOfV6(address) : 'forbidden';
}

function kindOfV4(address: string): AddressKind {
  if (forbiddenV4.check(address)) return 'forbidden';
  if (loopbackV4.check(address)) return 'loopback';
  return privateV4.check(address) ? 'private' : 'public';
}

/** Outside 2000::/3 nothing is in public use, so that whatever is not named here is forbidden. */
function kindOfV6(address: string): AddressKind {
  if (address === '::1') return 'loopback';
  if (forbiddenV6.check(address, 'ipv6')) return 'forbidden';
  if (privateV6.check(address, 'ipv6')) return 'private';
  return globalV6.check(address, 'ipv6') ? 'public' : 'forbidden';
}

/**
 * Without zone, and as IPv4 where an IPv6 address is only a way of writing or reaching one: mapped, compatible, translated,
 * NAT64 and 6to4 addresses are judged by the address they carry.
 */
export function plainAddress(address: string): string {
  const bare = address.split('%')[0];
  if (!isIPv6(bare)) return bare;
  const groups = ipv6Groups(bare);
  const v4 = embeddedV4(groups);
  if (v4 === null) return groups.every((group, i) => group === (i === 7 ? 1 : 0)) ? '::1' : bare;
  return `${v4[0] >> 8}.${v4[0] & 255}.${v4[1] >> 8}.${v4[1] & 255}`;
}

function embeddedV4(groups: number[]): [number, number] | null {
  const tail: [number, number] = [groups[6], groups[7]];
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  if (groups[0] === 0x2002) return [groups[1], groups[2]];
  if (prefix === '0:0:0:0:0:ffff' || prefix === '0:0:0:0:ffff:0' || prefix === '64:ff9b:0:0:0:0') return tail;
  return prefix === '0:0:0:0:0:0' && (groups[6] !== 0 || groups[7] > 1) ? tail : null;
}

/** The eight numbers of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head, tail] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const all = tail === undefined ? head : [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return all.map((group) => parseInt(group, 16));
}

function blockList(subnets: string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network, bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
