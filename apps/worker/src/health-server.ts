import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Platform } from '#pipeline';

const CHECK_MS = 1_500;

/** `/healthz` and `/readyz` of a worker, for whoever watches over it. */
export class HealthServer {
  private readonly server: Server;
  private ready = false;

  constructor(private readonly platform: Platform) {
    this.server = createServer((request, response) => {
      void this.answer(request.url ?? '/').then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }

  listen(): Promise<void> {
    const { workerHost, workerPort } = this.platform.config;
    return new Promise((resolve, reject) => {
      this.server.once('error', reject).listen(workerPort, workerHost, () => {
        const { port } = this.server.address() as AddressInfo;
        this.platform.log.info(`worker health on http://${workerHost}:${port}/healthz`);
        resolve();
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

  private async answer(url: string): Promise<[number, object]> {
    if (url === '/healthz') return [200, { status: 'ok' }];
    if (url !== '/readyz') return [404, { status: 'unknown path', try: ['/healthz', '/readyz'] }];
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
