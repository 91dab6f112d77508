import { createSecureContext, type SecureContext } from 'node:tls';
import { Agent, Pool, buildConnector } from 'undici';
import { AddressGuard, type AddressRules, type ResolveAll } from './address-guard.js';
import { throughProxy } from './proxy.js';

export interface DispatcherOptions extends AddressRules {
  maxConnectionsPerHost: number;
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

/**
 * The one way out: a keep-alive pool per origin whose sockets go nowhere the guard has not looked. It follows no redirects
 * and knows no proxy but the one it is given. Its own timeouts are off because every call brings a total deadline.
 */
export function createDispatcher(options: DispatcherOptions): Agent {
  const guard = new AddressGuard(options, options.resolve);
  // Once: reading a hundred and fifty authorities takes milliseconds, and there may be many connections.
  const secureContext = options.trusted && createSecureContext({ ca: options.trusted });
  return new Agent({
    connections: options.maxConnectionsPerHost,
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, poolOptions) => {
      const connect = guardedConnector(guard, new URL(origin), options, secureContext);
      return new Pool(origin, { ...poolOptions, connect });
    },
  });
}

/** Per origin, because a lookup is told the name but not the port that the rules may speak of. */
function guardedConnector(
  guard: AddressGuard,
  origin: URL,
  { connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS, proxy }: DispatcherOptions,
  secureContext: SecureContext | undefined,
): buildConnector.connector {
  const port = Number(origin.port || (origin.protocol === 'https:' ? 443 : 80));
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
    // not at once: undici does not expect its connector to fail before it returns
    if (blocked) process.nextTick(callback, blocked, null);
    else dial(target, callback);
  };
}
