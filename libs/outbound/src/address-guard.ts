import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { parseAddressRule, type AddressRule } from '#config';
import { addressKind, plainAddress, type AddressKind } from './address-kind.js';
import { lookupsPerDomain, type ResolveAll, SharedLookups } from './shared-lookups.js';

export interface AddressRules {
  allowLoopback: boolean;
  /** Lets private and loopback addresses through, never forbidden ones such as metadata services. */
  allow: string[];
  /** Wins over everything else, also for public addresses. */
  deny: string[];
}

export class AddressBlockedError extends Error {
  readonly code = 'ADDRESS_BLOCKED';
  constructor(
    readonly host: string,
    reason: string,
  ) {
    super(`calls to ${host} are blocked: ${reason}`);
    this.name = 'AddressBlockedError';
  }
}

const resolveBySystem: ResolveAll = (hostname, callback) => systemLookup(hostname, { all: true }, callback);
/** Of the whole process, as its threads are. */
const systemLookups = new SharedLookups(resolveBySystem, lookupsPerDomain(process.env.UV_THREADPOOL_SIZE));

/** By name too: an address that a name server or a proxy of one's own gives them serves the same credentials. */
const METADATA_HOSTS = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
]);

const REASONS: Record<Exclude<AddressKind, 'public'>, string> = {
  private: 'it is a private address that OUTBOUND_ALLOW does not name',
  loopback: 'it is a loopback address that OUTBOUND_ALLOW does not name',
  forbidden: 'it is a link-local, metadata, multicast or reserved address',
};

/** Decides at dial time, on the address itself, whether it may be called. */
export class AddressGuard {
  private readonly allow: AddressRule[];
  private readonly deny: AddressRule[];
  private readonly allowLoopback: boolean;

  constructor(
    rules: AddressRules,
    private readonly resolve: ResolveAll = systemLookups.lookup,
  ) {
    this.allow = rules.allow.map(parseAddressRule);
    this.deny = rules.deny.map(parseAddressRule);
    this.allowLoopback = rules.allowLoopback;
  }

  /** For a host that is an address itself: no lookup will happen, so this is the only check. A name passes. */
  checkLiteral(host: string, port: number): AddressBlockedError | null {
    return isIP(host) === 0 ? null : this.check(host, port, host);
  }

  /**
   * A lookup for sockets to that port. One bad address refuses the whole name, and the socket dials what was checked here:
   * there is no second lookup in between that could answer differently.
   */
  lookupFor(port: number): LookupFunction {
    return (hostname, options, callback) => {
      this.resolve(hostname, (error, addresses) => {
        const problem = error ?? this.checkAll(hostname, port, addresses);
        if (problem) callback(problem, [], 0);
        else if (options.all) callback(null, addresses);
        else callback(null, addresses[0].address, addresses[0].family);
      });
    };
  }

  private checkAll(host: string, port: number, addresses: LookupAddress[]): Error | null {
    if (addresses.length === 0) return Object.assign(new Error(`${host} has no address`), { code: 'ENODATA' });
    for (const { address } of addresses) {
      const blocked = this.check(host, port, address);
      if (blocked) return blocked;
    }
    return null;
  }

  private check(host: string, port: number, address: string): AddressBlockedError | null {
    const name = host.toLowerCase().replace(/\.$/, '');
    const plain = plainAddress(address);
    const matches = (rule: AddressRule): boolean =>
      rule.matches(name, port, plain) || rule.matches(name, port, address);
    if (this.deny.some(matches)) return new AddressBlockedError(host, 'OUTBOUND_DENY names it');
    const kind = METADATA_HOSTS.has(name) ? 'forbidden' : addressKind(plain);
    if (kind === 'public' || (kind === 'loopback' && this.allowLoopback)) return null;
    if (kind !== 'forbidden' && this.allow.some(matches)) return null;
    return new AddressBlockedError(host, REASONS[kind]);
  }
}
