import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A target in a process of its own: answers at once, and notes how late after its due second each call came. */
const lateness: number[] = [];
let calls = 0;
let waiting: { count: number; tell: () => void } | undefined;

const server = createServer((request, response) => {
  const due = request.headers['x-punctual-scheduled-time'];
  if (typeof due === 'string') lateness.push(Date.now() - Date.parse(due));
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    if (++calls >= (waiting?.count ?? Infinity)) waiting?.tell();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', (message: { await?: number; reset?: boolean }) => {
  if (message.reset) {
    calls = 0;
    lateness.length = 0;
    process.send?.({ reset: true });
  }
  if (message.await !== undefined) {
    waiting = { count: message.await, tell: () => process.send?.({ calls, lateness, at: Date.now() }) };
    if (calls >= message.await) waiting.tell();
  }
});
process.on('disconnect', () => process.exit(0));
