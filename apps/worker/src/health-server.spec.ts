import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Platform } from '#pipeline';
import { HealthServer } from './health-server.js';

describe('the port of a worker', () => {
  let server: HealthServer | undefined;
  const warnings: unknown[] = [];

  afterEach(() => server?.close());

  function start(settings: object = {}): Promise<string> {
    warnings.length = 0;
    const metrics = { contentType: 'text/plain', text: () => Promise.resolve('up 1\n') };
    const limits = { requestTimeoutSeconds: 60, maxConnections: 100 };
    const config = { workerHost: '127.0.0.1', workerPort: 0, metricsToken: null, ...limits, ...settings };
    const log = { info: () => undefined, warn: (...said: unknown[]) => warnings.push(said.at(-1)) };
    server = new HealthServer({ config, metrics, log } as unknown as Platform);
    return server.listen();
  }

  async function ask(metricsToken: string | null, headers: Record<string, string> = {}): Promise<number> {
    const answer = await fetch(`${await start({ metricsToken })}/metrics`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  }

  /** Resolves when the other side has closed the connection. */
  const connection = (url: string, text: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
      socket.on('error', () => undefined).on('close', () => resolve());
      socket.resume();
    });

  it('shows the metrics to everybody who reaches it, unless there is a token', async () => {
    expect(await ask(null)).toBe(200);
  });

  it('shows the metrics to those who have the token, if there is one', async () => {
    expect(await ask('for-prometheus')).toBe(401);
    server?.close();
    expect(await ask('for-prometheus', { authorization: 'Bearer wrong' })).toBe(401);
    server?.close();
    expect(await ask('for-prometheus', { authorization: 'Bearer for-prometheus' })).toBe(200);
  });

  it.each([
    ['0.0.0.0', null, 1],
    ['0.0.0.0', 'for-prometheus', 0],
    ['127.0.0.1', null, 0],
  ])('warns when it shows them to the network: at %s with the token %s', async (workerHost, metricsToken, count) => {
    await start({ workerHost, metricsToken });
    expect(warnings.filter((line) => String(line).includes('METRICS_TOKEN'))).toHaveLength(count);
  });

  it.each(['', 'GET /healthz HTTP/1.1\r\nx-slow: '])('lets go of a slow client that has said %j', async (text) => {
    await connection(await start({ requestTimeoutSeconds: 1 }), text);
  });

  it('turns connections beyond its limit away', async () => {
    const url = await start({ maxConnections: 1, requestTimeoutSeconds: 5 });
    const first = connection(url, '');
    await connection(url, '');
    expect(warnings).toEqual(['there are too many connections: new ones are turned away']);
    server?.close();
    await first;
  });
});
