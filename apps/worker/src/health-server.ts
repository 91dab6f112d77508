import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Platform, sameText } from '#pipeline';

const CHECK_MS = 1_500;

/** `/healthz`, `/readyz` and `/metrics` of a worker, for whoever watches over it. */
export class HealthServer {
  private readonly server: Server;
  private ready = false;

  constructor(private readonly platform: Platform) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  /** Resolves with its address. */
  listen(): Promise<string> {
    const { workerHost, workerPort } = this.platform.config;
    return new Promise((resolve, reject) => {
      this.server.once('error', reject).listen(workerPort, workerHost, () => {
        const { port } = this.server.address() as AddressInfo;
        const url = `http://${workerHost.includes(':') ? `[${workerHost}]` : workerHost}:${port}`;
        this.platform.log.info(`worker health on ${url}/healthz`);
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
    const checks = { database: await this.check('database'), queue: await this.check('queue') };
    const ok = this.ready && checks.database.ok && checks.queue.ok;
    return [ok ? 200 : 503, { status: ok ? 'ready' : 'not ready', checks }];
  }

  private async check(part: 'database' | 'queue'): Promise<{ ok: boolean; error?: string }> {
    const { database, queue } = this.platform;
    const work = part === 'database' ? database.client.$queryRawUnsafe('SELECT 1') : queue.check();
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('no answer in time')), CHECK_MS).unref(),
    );
    return Promise.race([work, late]).then(
      () => ({ ok: true }),
      (error: Error) => ({ ok: false, error: error.message.split('\n').at(-1)?.trim() }),
    );
  }
}
