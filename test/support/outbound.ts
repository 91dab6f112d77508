import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import type { AxiosError } from 'axios';
import { createHttpClient, type OutboundOptions, TargetClient } from '#outbound';

/** What came of one call, in the same words whoever made it. */
export interface Outcome {
  code?: string;
  status?: number;
  body?: string;
  message?: string;
}

export type Call = (url: string, more?: { headers?: Record<string, string>; timeoutMs?: number }) => Promise<Outcome>;

/** The two ways out of the product, put together as the worker does: calls to targets, and notices (axios). */
export const WAYS_OUT = ['target', 'notice'] as const;

export class Outbound {
  private readonly cleanups: (() => unknown)[] = [];

  /** A way out under these rules; strict unless told otherwise. */
  way(way: (typeof WAYS_OUT)[number], options: Partial<OutboundOptions> = {}): Call {
    const rules = { allowLoopback: false, allow: [], deny: [], maxConnectionsPerHost: 4, userAgent: 'test' };
    const client = new TargetClient({ ...rules, ...options });
    this.cleanups.push(() => client.close());
    return way === 'target' ? byTarget(client) : byNotice(client);
  }

  async serve(listener: RequestListener): Promise<number> {
    return this.listen(createServer(listener));
  }

  /** Listens on all addresses of this machine, of both families, and remembers whether anybody came. */
  async trap(): Promise<{ port: number; touched: () => boolean }> {
    let touched = false;
    const server = createTcpServer((socket) => ((touched = true), socket.destroy()));
    const port = await this.listen(server, '::').catch(() => this.listen(server, '0.0.0.0'));
    return { port, touched: () => touched };
  }

  async listen(server: Server | TcpServer, host = '127.0.0.1'): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
    server.listen(0, host);
    await once(server, 'listening');
    this.cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  /** For the time of one test. */
  setEnv(variables: Record<string, string>): void {
    const before = { ...process.env };
    Object.assign(process.env, variables);
    this.cleanups.push(() => {
      for (const name of Object.keys(variables)) delete process.env[name];
      Object.assign(process.env, before);
    });
  }

  async close(): Promise<void> {
    for (const cleanup of this.cleanups.splice(0).reverse()) await cleanup();
  }
}

/** Names for a test's own resolver. */
export function names(known: Record<string, string[]>): NonNullable<OutboundOptions['resolve']> {
  return (host, done) => {
    const addresses = known[host.replace(/\.$/, '')] ?? [];
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

const byTarget =
  (client: TargetClient): Call =>
  async (url, { headers = {}, timeoutMs = 20_000 } = {}) => {
    const outcome = await client.call({ method: 'GET', url, headers, timeoutMs });
    if (outcome.kind === 'response') return { status: outcome.status, body: outcome.body };
    if (outcome.kind === 'error') return { code: outcome.code, message: outcome.message };
    return { code: outcome.kind === 'timeout' ? 'ECONNABORTED' : 'aborted' };
  };

/** With the limits that the worker gives it. */
const byNotice =
  (client: TargetClient): Call =>
  async (url, { headers = {}, timeoutMs = 20_000 } = {}) => {
    const http = createHttpClient({ client, timeoutMs, maxBodyBytes: 512, longBody: 'cut' });
    try {
      const { status, data } = await http.request<string>({ url, headers, transformResponse: [] });
      return { status, body: Buffer.isBuffer(data) ? data.toString('base64') : data };
    } catch (error) {
      const { code, message, response } = error as AxiosError<string>;
      return { code, message, status: response?.status };
    }
  };
