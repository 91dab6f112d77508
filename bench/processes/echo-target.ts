import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A target in a process of its own: answers at once, and notes who called, for which second, and when. */
const ids: string[] = [];
const dues: number[] = [];
const times: number[] = [];
let waiting: { count: number; tell: () => void }[] = [];

const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now();
  const { 'x-punctual-run-id': id, 'x-punctual-scheduled-time': due } = request.headers;
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    ids.push(typeof id === 'string' ? id : '');
    dues.push(typeof due === 'string' ? Date.parse(due) : NaN);
    times.push(at);
    tellThose();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

function tellThose(): void {
  if (waiting.length === 0) return;
  for (const { count, tell } of waiting) if (times.length >= count) tell();
  waiting = waiting.filter(({ count }) => times.length < count);
}

interface Question {
  re: number;
  await?: number;
  reset?: boolean;
  count?: boolean;
  calls?: boolean;
}

process.on('message', ({ re, await: count, reset, calls, count: counts }: Question) => {
  if (reset) for (const list of [ids, dues, times]) list.length = 0;
  if (reset) process.send?.({ re });
  if (counts) process.send?.({ re, count: times.length });
  if (calls) process.send?.({ re, calls: times.map((at, i) => ({ id: ids[i], due: dues[i], at })) });
  if (count === undefined) return;
  waiting.push({ count, tell: () => process.send?.({ re, at: times[count - 1] }) });
  tellThose();
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
