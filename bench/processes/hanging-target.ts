import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A target in a process of its own that takes every call and never answers. Says how many it has open. */
let open = 0;

const server = createServer((_request, response) => {
  open += 1;
  response.on('close', () => (open -= 1));
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', ({ re }: { re: number }) => process.send?.({ re, open }));
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
