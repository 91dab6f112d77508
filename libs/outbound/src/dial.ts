import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { AddressGuard, type AddressRules } from './address-guard.js';
import type { Dial } from './http1/connection-pool.js';
import { throughProxy } from './proxy.js';
import type { ResolveAll } from './shared-lookups.js';

export interface DialOptions extends AddressRules {
  /** How long one attempt to connect may take, if the call itself has longer. */
  connectTimeoutMs?: number;
  resolve?: ResolveAll;
  /** All certificates that are trusted; Node.js' own without. */
  trusted?: string[];
  /** http://[user:password@]host:port */
  proxy?: string | null;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Node's default of 250 ms gives up good addresses on slow networks. */
const NEXT_ADDRESS_AFTER_MS = 1000;

/** The one way out: sockets that go nowhere the guard has not looked, and know no proxy but the one that is given. */
export class Dialler {
  private readonly guard: AddressGuard;
  private readonly secureContext: SecureContext | undefined;

  constructor(private readonly options: DialOptions) {
    this.guard = new AddressGuard(options, options.resolve);
    // Once: reading a hundred and fifty authorities takes milliseconds, and there may be many connections.
    this.secureContext = options.trusted && createSecureContext({ ca: options.trusted });
  }

  /** Per origin, because a lookup is told the name but not the port that the rules may speak of. */
  to(origin: URL): Dial {
    const port = Number(origin.port || (origin.protocol === 'https:' ? 443 : 80));
    const { protocol, host } = origin;
    const hostname = origin.hostname.replace(/^\[|\]$/g, '');
    const connect = this.connector(port);
    return (done) =>
      connect({ protocol, host, hostname, port: origin.port }, (error: Error | null, socket: unknown) =>
        done(error, error === null ? (socket as Socket) : null),
      );
  }

  private connector(port: number): buildConnector.connector {
    const { guard, secureContext } = this;
    const { connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS, proxy } = this.options;
    const dial = buildConnector({
      port,
      timeout,
      lookup: guard.lookupFor(port),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      // said aloud so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off
      rejectUnauthorized: true,
      ...(secureContext && { secureContext }),
    });
    if (proxy) return throughProxy(new URL(proxy), guard, dial, port, timeout);
    return (target, callback) => {
      const blocked = guard.checkLiteral(target.hostname, port);
      // not at once: nobody expects an answer before the question is put
      if (blocked) process.nextTick(callback, blocked, null);
      else dial(target, callback);
    };
  }
}
