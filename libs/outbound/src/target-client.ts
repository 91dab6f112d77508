import type { Dispatcher } from 'undici';
import type { CallOutcome } from '#domain';
import { createDispatcher, type DispatcherOptions } from './dispatcher.js';
import { type BodyLimits, CallInFlight, type TargetCall } from './target-call.js';

export interface OutboundOptions extends DispatcherOptions {
  /** A longer response is cut off here, and its connection dropped. */
  bodyReadLimit?: number;
  /** How much of it the outcome holds. */
  bodyKeepLimit?: number;
  userAgent: string;
}

interface Address {
  origin: string;
  path: string;
}

const MOST_ADDRESSES = 1_000;
const READ_LIMIT = 1024 * 1024;
const KEEP_LIMIT = 16 * 1024;

/**
 * Calls targets. Every call ends by its deadline with an outcome; nothing that the network or the target does makes it
 * reject, hang or grow. Bodies are never decompressed, so that there is nothing to be bombed with.
 */
export class TargetClient {
  private readonly dispatcher: Dispatcher;
  private readonly limits: BodyLimits;
  private readonly addresses = new Map<string, Address>();

  constructor(private readonly options: OutboundOptions) {
    this.dispatcher = createDispatcher(options);
    this.limits = { read: options.bodyReadLimit ?? READ_LIMIT, keep: options.bodyKeepLimit ?? KEEP_LIMIT };
  }

  call(request: TargetCall): Promise<CallOutcome> {
    return new Promise((resolve) => {
      const call = new CallInFlight(this.limitsOf(request), request.timeoutMs, request.signal, resolve);
      request.abortable?.(call.abort);
      if (call.isOver) return;
      try {
        this.dispatcher.dispatch(this.dispatchOptions(request), call);
      } catch (error) {
        call.fail(error);
      }
    });
  }

  /** Ends at once; what is still in flight ends with the error CLIENT_CLOSED. */
  async close(): Promise<void> {
    await this.dispatcher.destroy();
  }

  private limitsOf({ bodyKeepLimit }: TargetCall): BodyLimits {
    if (bodyKeepLimit === undefined) return this.limits;
    return { read: Math.max(this.limits.read, bodyKeepLimit), keep: bodyKeepLimit };
  }

  private dispatchOptions({ method, url, headers, body }: TargetCall): Dispatcher.DispatchOptions {
    const { origin, path } = this.addressOf(url);
    return { origin, path, method, headers: this.headersOf(headers), body };
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

  private headersOf(headers: Record<string, string>): string[] {
    const list: string[] = [];
    let hasAgent = false;
    let hasEncoding = false;
    for (const name of Object.keys(headers)) {
      list.push(name, headers[name]);
      if (name.length === 10) hasAgent ||= name.toLowerCase() === 'user-agent';
      else if (name.length === 15) hasEncoding ||= name.toLowerCase() === 'accept-encoding';
    }
    if (!hasAgent) list.push('user-agent', this.options.userAgent);
    if (!hasEncoding) list.push('accept-encoding', 'identity');
    return list;
  }
}

function readAddress(url: string): Address {
  const { origin, protocol, pathname, search } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw invalidUrl(`${protocol} URLs cannot be called`);
  return { origin, path: pathname + search };
}

function invalidUrl(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_INVALID_URL' });
}
