import { afterEach, describe, expect, it } from '@jest/globals';
import type { Platform } from '#pipeline';
import { HealthServer } from './health-server.js';

describe('the metrics of a worker', () => {
  let server: HealthServer | undefined;

  afterEach(() => server?.close());

  async function ask(metricsToken: string | null, headers: Record<string, string> = {}): Promise<number> {
    const metrics = { contentType: 'text/plain', text: () => Promise.resolve('up 1\n') };
    const config = { workerHost: '127.0.0.1', workerPort: 0, metricsToken };
    server = new HealthServer({ config, metrics, log: { info: () => undefined } } as unknown as Platform);
    const answer = await fetch(`${await server.listen()}/metrics`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  }

  it('are for everybody who reaches its port, unless there is a token', async () => {
    expect(await ask(null)).toBe(200);
  });

  it('are for those who show the token, if there is one', async () => {
    expect(await ask('for-prometheus')).toBe(401);
    server?.close();
    expect(await ask('for-prometheus', { authorization: 'Bearer wrong' })).toBe(401);
    server?.close();
    expect(await ask('for-prometheus', { authorization: 'Bearer for-prometheus' })).toBe(200);
  });
});
