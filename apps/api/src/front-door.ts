import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyServerOptions } from 'fastify';
import { limitConnections, type Platform, ServerProbe, serverTimeouts } from '#pipeline';
import { problemOf, Unavailable } from './http/problem-of.js';
import { problemBody, PROBLEM_TYPE } from './http/problem.js';
import { traceIdFrom } from './http/trace.js';

const SWEEP_MS = 50;

/** Listens from the first moment, says that the rest is not there yet, and then hands its requests to the API. */
export class FrontDoor {
  private readonly server: Server;
  private readonly probe: ServerProbe;
  private handler: RequestListener = (request, response) => void this.putOff(request, response);

  constructor(private readonly platform: Platform) {
    const { config, log } = platform;
    this.server = createServer(serverTimeouts(config), (request, response) => this.handler(request, response));
    limitConnections(this.server, config, log);
    this.probe = new ServerProbe(platform);
  }

  listen(): Promise<string> {
    const { host, port } = this.platform.config;
    return new Promise((resolve, reject) => {
      this.server.once('error', reject).listen(port, host, () => {
        resolve(`http://${host.includes(':') ? `[${host}]` : host}:${this.port}`);
      });
    });
  }

  /** The one it really listens on. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** An adapter whose server is this one; it takes over with `open`. */
  adapter(options: FastifyServerOptions): FastifyAdapter {
    let handler: RequestListener;
    const serverFactory = (given: RequestListener) => {
      handler = given;
      return this.server;
    };
    this.open = () => (this.handler = handler);
    return new AdapterBehindDoor({ ...options, serverFactory }, () => this.close());
  }

  open: () => void = () => undefined;

  /** No new connections; those in use are waited for, and closed as soon as their answer is out. */
  async close(): Promise<void> {
    const sweep = setInterval(() => this.server.closeIdleConnections(), SWEEP_MS);
    await new Promise((resolve) => this.server.close(resolve));
    clearInterval(sweep);
  }

  private async putOff(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const traceId = traceIdFrom(request.headers);
    const path = request.url?.split('?', 1)[0];
    const send = (status: number, type: string, body: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': type, 'x-trace-id': traceId, ...headers }).end(JSON.stringify(body));
    if (path === '/healthz') return void send(200, 'application/json', { status: 'ok' });
    if (path === '/readyz') {
      const { checks } = await this.probe.look();
      return void send(503, 'application/json', { status: 'not ready', checks });
    }
    const problem = problemOf(new Unavailable('the service is starting'));
    send(503, PROBLEM_TYPE, problemBody(problem, traceId), { 'retry-after': String(problem.retryAfterSeconds) });
  }
}

class AdapterBehindDoor extends FastifyAdapter {
  constructor(
    options: FastifyServerOptions,
    private readonly closeDoor: () => Promise<void>,
  ) {
    super(options as never);
  }

  /** The last answers go out before anything they need is closed. */
  override async close(): Promise<void> {
    await this.closeDoor();
    await super.close();
  }
}
