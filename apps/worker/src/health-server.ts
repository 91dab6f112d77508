import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopback } from '#config';
import { limitConnections, type Platform, sameText, ServerProbe, serverTimeouts } from '#pipeline';

const OPEN_METRICS =
  'WORKER_HOST lets others in and METRICS_TOKEN is not set: whoever reaches this port reads /metrics (docs/access.md)';

/** `/healthz`, `/readyz` and `/metrics` of a worker, for whoever watches over it. */
export class HealthServer {
  private readonly server: Server;
  private readonly probe: ServerProbe;
  private ready = false;

  constructor(private readonly platform: Platform) {
    const { config, log } = platform;
    this.server = createServer(serverTimeouts(config), (request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
    limitConnections(this.server, config, log);
    this.probe = new ServerProbe(platform);
  }

  /** Resolves with its address. */
  listen(): Promise<string> {
    const { workerHost, workerPort } = this.platform.config;
    return new Promise((resolve, reject) => {
      this.server.once('error', reject).listen(workerPort, workerHost, () => {
        const { port } = this.server.address() as AddressInfo;
        const url = `http://${workerHost.includes(':') ? `[${workerHost}]` : workerHost}:${port}`;
        this.platform.log.info(`worker health on ${url}/healthz`);
        if (!isLoopback(workerHost) && this.platform.config.metricsToken === null) this.platform.log.warn(OPEN_METRICS);
        resolve(url);
      });
    });
  }

  setReady(ready: boolean): void {
    this.ready = ready;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer({ url = '/', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url === '/metrics') {
      if (!this.mayReadMetrics(headers.authorization ?? '')) return this.refuse(response);
      const { metrics } = this.platform;
      response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.text());
      return;
    }
    const [status, body] = await this.health(url);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private mayReadMetrics(authorization: string): boolean {
    const { metricsToken } = this.platform.config;
    return metricsToken === null || sameText(authorization, `Bearer ${metricsToken}`);
  }

  private refuse(response: ServerResponse): void {
    const headers = { 'content-type': 'application/json', 'www-authenticate': 'Bearer realm="metrics"' };
    response.writeHead(401, headers).end(JSON.stringify({ status: 'METRICS_TOKEN is needed, as a bearer token' }));
  }

  private async health(url: string): Promise<[number, object]> {
    if (url === '/healthz') return [200, { status: 'ok' }];
    if (url !== '/readyz') return [404, { status: 'unknown path', try: ['/healthz', '/readyz', '/metrics'] }];
    const { ready, checks } = await this.probe.look();
    const ok = this.ready && ready;
    return [ok ? 200 : 503, { status: ok ? 'ready' : 'not ready', checks }];
  }
}
