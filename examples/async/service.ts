// A service that takes work on from Punctual and reports back when it is done. Node 20 or newer, nothing to install.
//
//   npx tsc service.ts, or with Node 22.18 and newer as it is:   node service.ts 8081
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

interface Callback {
  url: string;
  token: string;
}

async function tell({ url, token }: Callback, body: object, path = ''): Promise<Record<string, unknown>> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    // Whatever is below 500 will not change by asking again; the same outcome may be sent as often as it takes.
    if (answer !== undefined && answer.status < 500) return (await answer.json()) as Record<string, unknown>;
    await pause(Math.min(1000 * 2 ** attempt, 60_000));
  }
}

async function work(callback: Callback, rows: number): Promise<void> {
  try {
    for (let done = 1; done <= rows; done++) {
      await pause(50); // the work itself
      const { cancel_requested } = await tell(callback, { progress: { done, of: rows } }, '/heartbeat');
      if (cancel_requested) return;
    }
    await tell(callback, { status: 'SUCCESS', result: { rows } });
  } catch (error) {
    await tell(callback, { status: 'FAILURE', error_info: String(error) });
  }
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const { rows = 3 } = JSON.parse(body || '{}') as { rows?: number };
    const callback = {
      url: String(request.headers['x-punctual-callback-url']),
      token: String(request.headers['x-punctual-callback-token']),
    };
    response.writeHead(202).end(); // accepted: the run waits from now on
    void work(callback, rows);
  });
});

server.listen(Number(process.argv[2] ?? 8081), '127.0.0.1', () => {
  console.log(`listening on ${JSON.stringify(server.address())}`);
});
