import { BlockList, isIP, isIPv4 } from 'node:net';

/** One entry of OUTBOUND_ALLOW or OUTBOUND_DENY. */
export interface AddressRule {
  matches(host: string, port: number, address: string): boolean;
}

const PORT = /^(.*):(\d{1,5})$/;
const HOST_PATTERN = /^(\*|(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?)$/;

/**
 * `10.0.0.0/8`, `10.1.2.3`, `fd00::/8`, `internal.example`, `*.svc.cluster.local` (any name below it), `*` (any host), each
 * optionally with a port: `10.0.0.0/8:8080`, `[fd00::]/8:8080`, `[fd00::1]:443`.
 */
export function parseAddressRule(entry: string): AddressRule {
  const { host, port } = splitPort(entry.trim().toLowerCase());
  const matchesHost = addressMatcher(host) ?? nameMatcher(host);
  if (matchesHost === null || (port !== null && (port < 1 || port > 65535))) {
    throw new Error(`"${entry}" is not an address, network or host pattern (with an optional :port)`);
  }
  return {
    matches: (name, dialled, address) => (port === null || port === dialled) && matchesHost(name, address),
  };
}

type HostMatcher = (host: string, address: string) => boolean;

function splitPort(entry: string): { host: string; port: number | null } {
  const bracketed = /^\[([^\]]+)\](\/\d+)?(?::(\d{1,5}))?$/.exec(entry);
  if (bracketed) {
    return { host: bracketed[1] + (bracketed[2] ?? ''), port: bracketed[3] ? Number(bracketed[3]) : null };
  }
  const ported = PORT.exec(entry);
  // more than one colon without brackets is an IPv6 address, all of it
  return ported && !ported[1].includes(':')
    ? { host: ported[1], port: Number(ported[2]) }
    : { host: entry, port: null };
}

function addressMatcher(host: string): HostMatcher | null {
  const [network, bits, ...rest] = host.split('/');
  if (isIP(network) === 0 || rest.length > 0) return null;
  const family = isIPv4(network) ? 'ipv4' : 'ipv6';
  const size = bits === undefined ? widest(family) : prefixLength(bits, widest(family));
  if (size === null) return null;
  const list = new BlockList();
  list.addSubnet(network, size, family);
  return (_, address) => (isIPv4(address) ? 'ipv4' : 'ipv6') === family && list.check(address, family);
}

const widest = (family: 'ipv4' | 'ipv6'): number => (family === 'ipv4' ? 32 : 128);

function prefixLength(text: string, max: number): number | null {
  return /^\d{1,3}$/.test(text) && Number(text) <= max ? Number(text) : null;
}

function nameMatcher(pattern: string): HostMatcher | null {
  if (!HOST_PATTERN.test(pattern)) return null;
  if (pattern === '*') return () => true;
  return pattern.startsWith('*.') ? (host) => host.endsWith(pattern.slice(1)) : (host) => host === pattern;
}
