import type { LookupAddress } from 'node:dns';
import { request } from 'node:http';
import { isIP, isIPv6, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.js';

type Opened = (error: Error | null, socket: Socket | null) => void;

/**
 * Connections through an HTTP proxy. The name is resolved and judged here and the proxy is told the address: a proxy that
 * looked it up itself could be sent wherever the name points by then. The proxy's own address is the operator's choice.
 */
export function throughProxy(
  proxy: URL,
  guard: AddressGuard,
  dial: buildConnector.connector,
  port: number,
  timeoutMs: number,
): buildConnector.connector {
  const headers = credentials(proxy);
  return (target, callback) => {
    const done = callback as Opened;
    checkedAddress(guard, target.hostname, port, (error, address) => {
      if (error) return process.nextTick(done, error, null);
      openTunnel(
        proxy,
        headers,
        isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`,
        timeoutMs,
        (failed, socket) => {
          if (failed || socket === null || target.protocol !== 'https:') done(failed, socket);
          else dial({ ...target, httpSocket: socket }, callback);
        },
      );
    });
  };
}

function checkedAddress(
  guard: AddressGuard,
  host: string,
  port: number,
  callback: (error: Error | null, address: string) => void,
): void {
  if (isIP(host) !== 0) return callback(guard.checkLiteral(host, port), host);
  guard.lookupFor(port)(host, { all: true }, (error, found) => {
    callback(error, error ? '' : (found as LookupAddress[])[0].address);
  });
}

type Credentials = { 'proxy-authorization'?: string };

function openTunnel(proxy: URL, credentials: Credentials, authority: string, timeoutMs: number, done: Opened): void {
  const asked = request({
    method: 'CONNECT',
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || 80,
    path: authority,
    headers: { host: authority, ...credentials },
    // A connection of its own, and none of the environment's proxies on the way.
    agent: false,
  });
  const timer = setTimeout(() => asked.destroy(proxyError(`did not answer within ${timeoutMs} ms`)), timeoutMs);
  const end: Opened = (error, socket) => (clearTimeout(timer), done(error, socket));
  asked.once('connect', ({ statusCode }, socket: Socket, head: Buffer) => {
    if (statusCode !== 200) {
      socket.destroy();
      return end(proxyError(`answered ${statusCode} when asked for a connection`), null);
    }
    // Neither HTTP nor TLS has the server speak first: it would be taken for the answer to what is asked next.
    if (head.length > 0) {
      socket.destroy();
      return end(proxyError('sent something behind its answer'), null);
    }
    end(null, socket);
  });
  asked.once('response', (response) => asked.destroy(proxyError(`answered ${response.statusCode}`)));
  asked.once('error', (error: NodeJS.ErrnoException) => {
    end(error.code === 'PROXY_FAILED' ? error : proxyError(`cannot be reached: ${error.code ?? error.message}`), null);
  });
  asked.end();
}

function credentials({ username, password }: URL): Credentials {
  if (username === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

const proxyError = (what: string): Error =>
  Object.assign(new Error(`the proxy of OUTBOUND_PROXY ${what}`), { code: 'PROXY_FAILED' });
