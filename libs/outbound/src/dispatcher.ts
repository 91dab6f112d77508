import { Agent, Pool, buildConnector } from 'undici';
import { AddressGuard, type AddressRules, type ResolveAll } from './address-guard.js';

export interface DispatcherOptions extends AddressRules {
  maxConnectionsPerHost: number;
  /** How long one attempt to connect may take, if the call itself has longer. */
  connectTimeoutMs?: number;
  resolve?: ResolveAll;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Node's default of 250 ms gives up good addresses on slow networks. */
const NEXT_ADDRESS_AFTER_MS = 1000;

/**
 * The one way out: a keep-alive pool per origin whose sockets go nowhere the guard has not looked. It follows no redirects
 * and knows no proxies. Its own timeouts are off because every call brings a total deadline.
 */
export function createDispatcher(options: DispatcherOptions): Agent {
  const guard = new AddressGuard(options, options.resolve);
  return new Agent({
    connections: options.maxConnectionsPerHost,
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, poolOptions) => {
      const connect = guardedConnector(guard, new URL(origin), options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
      return new Pool(origin, { ...poolOptions, connect });
    },
  });
}

/** Per origin, because a lookup is told the name but not the port that the rules may speak of. */
function guardedConnector(guard: AddressGuard, origin: URL, timeout: number): buildConnector.connector {
  const port = Number(origin.port || (origin.protocol === 'https:' ? 443 : 80));
  const dial = buildConnector({
    port,
    timeout,
    lookup: guard.lookupFor(port),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    // said aloud so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off
    rejectUnauthorized: true,
  });
  return (target, callback) => {
    const blocked = guard.checkLiteral(target.hostname, port);
    // not at once: undici does not expect its connector to fail before it returns
    if (blocked) process.nextTick(callback, blocked, null);
    else dial(target, callback);
  };
}
