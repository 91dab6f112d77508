import type { Server, ServerOptions } from 'node:http';
import type { Logger, ServerConfig } from '#config';

/** The lines and headers of a request are short, and come at once. */
const MOST_FOR_HEADERS_MS = 20_000;
/** How long a connection stays open for another request; longer than the minute that proxies like to keep theirs. */
const KEEP_ALIVE_MS = 72_000;
const CHECK_MS = 1_000;
const DROPS_TOLD_EVERY_MS = 60_000;

type Limits = Pick<ServerConfig, 'requestTimeoutSeconds' | 'maxConnections'>;

/** How long a client may take to say what it wants: somebody who sends a byte now and then must not hold a connection. */
export function serverTimeouts({ requestTimeoutSeconds }: Limits) {
  const requestTimeout = requestTimeoutSeconds * 1000;
  return {
    requestTimeout,
    headersTimeout: Math.min(MOST_FOR_HEADERS_MS, requestTimeout),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node looks only every half minute otherwise.
    connectionsCheckingInterval: CHECK_MS,
  } satisfies ServerOptions;
}

/** Beyond so many connections a new one is closed at once, so that those there are go on being served. */
export function limitConnections(server: Server, { maxConnections }: Limits, log: Logger): void {
  server.maxConnections = maxConnections;
  let told = -Infinity;
  server.on('drop', () => {
    if (performance.now() - told < DROPS_TOLD_EVERY_MS) return;
    told = performance.now();
    log.warn({ connections: maxConnections }, 'there are too many connections: new ones are turned away');
  });
}
