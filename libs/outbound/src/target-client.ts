import { errors } from 'undici';
import type { CallOutcome } from '#domain';
import { Dialler, type DialOptions } from './dial.js';
import type { WireRequest } from './http1/connection.js';
import { ConnectionPool } from './http1/connection-pool.js';
import { IdleConnections } from './http1/idle-connections.js';
import { expectsBody, requestHead } from './http1/request-head.js';
import { type BodyLimits, CallInFlight, type TargetCall } from './target-call.js';

export interface OutboundOptions extends DialOptions {
  maxConnectionsPerHost: number;
  /** A longer response is cut off here, and its connection dropped. */
  bodyReadLimit?: number;
  /** How much of it the outcome holds. */
  bodyKeepLimit?: number;
  userAgent: string;
}

interface Address {
  origin: string;
  host: string;
  path: string;
}

const MOST_ADDRESSES = 1_000;
/** A process may have as few as 1,024 files open at once. What one host may have it keeps. */
const MOST_IDLE = 256;
const READ_LIMIT = 1024 * 1024;
const KEEP_LIMIT = 16 * 1024;

/**
 * Calls targets. Every call ends by its deadline with an outcome; nothing that the network or the target does makes it
 * reject, hang or grow. Bodies are never decompressed, so that there is nothing to be bombed with.
 */
export class TargetClient {
  private readonly dialler: Dialler;
  private readonly pools = new Map<string, ConnectionPool>();
  private readonly idle: IdleConnections;
  private isClosed = false;
  private readonly limits: BodyLimits;
  private readonly addresses = new Map<string, Address>();
  private readonly ownAgent: string;

  constructor(private readonly options: OutboundOptions) {
    this.dialler = new Dialler(options);
    this.idle = new IdleConnections(Math.max(MOST_IDLE, options.maxConnectionsPerHost));
    this.ownAgent = `user-agent: ${options.userAgent}\r\n`;
    this.limits = { read: options.bodyReadLimit ?? READ_LIMIT, keep: options.bodyKeepLimit ?? KEEP_LIMIT };
  }

  call(request: TargetCall): Promise<CallOutcome> {
    return new Promise((resolve) => {
      const call = new CallInFlight(this.limitsOf(request), request.timeoutMs, request.signal, resolve);
      request.abortable?.(call.abort);
      if (call.isOver) return;
      try {
        this.send(request, call);
      } catch (error) {
        call.fail(error);
      }
    });
  }

  /** Ends at once; what is still in flight ends with the error CLIENT_CLOSED. */
  close(): Promise<void> {
    this.isClosed = true;
    for (const pool of this.pools.values()) pool.close(new errors.ClientDestroyedError());
    return Promise.resolve();
  }

  private send(request: TargetCall, call: CallInFlight): void {
    if (this.isClosed) throw new errors.ClientDestroyedError();
    const address = this.addressOf(request.url);
    const wired = this.wireRequest(request, address);
    this.poolOf(address.origin).send(wired, call);
  }

  private poolOf(origin: string): ConnectionPool {
    const known = this.pools.get(origin);
    if (known !== undefined) return known;
    const dial = this.dialler.to(new URL(origin));
    const { maxConnectionsPerHost } = this.options;
    const pool = new ConnectionPool(dial, maxConnectionsPerHost, this.idle, () => this.pools.delete(origin));
    this.pools.set(origin, pool);
    return pool;
  }

  private limitsOf({ bodyKeepLimit }: TargetCall): BodyLimits {
    if (bodyKeepLimit === undefined) return this.limits;
    return { read: Math.max(this.limits.read, bodyKeepLimit), keep: bodyKeepLimit };
  }

  private wireRequest({ method, headers, body = '' }: TargetCall, { path, host }: Address): WireRequest {
    const bytes = Buffer.byteLength(body);
    // Not everybody reads the body of a DELETE, or sends none after a HEAD: what is left of it would be taken for the next message.
    const keepsAlive = method !== 'HEAD' && (bytes === 0 || expectsBody(method));
    const length = bytes === 0 ? null : bytes;
    return {
      head: requestHead({ method, path, host, headers, more: this.linesBeside(headers), length, keepsAlive }),
      body: bytes === 0 ? null : body,
      isAscii: bytes === body.length,
      hasNoBody: method === 'HEAD',
      keepsAlive,
    };
  }

  /** Most tasks call the same address all day long. */
  private addressOf(url: string): Address {
    let address = this.addresses.get(url);
    if (address === undefined) {
      if (this.addresses.size >= MOST_ADDRESSES) this.addresses.clear();
      this.addresses.set(url, (address = readAddress(url)));
    }
    return address;
  }

  /** What every request says of itself, unless its task does. */
  private linesBeside(headers: Record<string, string>): string {
    let hasAgent = false;
    let hasEncoding = false;
    for (const name of Object.keys(headers)) {
      if (name.length === 10) hasAgent ||= name.toLowerCase() === 'user-agent';
      else if (name.length === 15) hasEncoding ||= name.toLowerCase() === 'accept-encoding';
    }
    return (hasAgent ? '' : this.ownAgent) + (hasEncoding ? '' : 'accept-encoding: identity\r\n');
  }
}

function readAddress(url: string): Address {
  const { origin, host, protocol, pathname, search } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw invalidUrl(`${protocol} URLs cannot be called`);
  return { origin, host, path: pathname + search };
}

function invalidUrl(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_INVALID_URL' });
}
