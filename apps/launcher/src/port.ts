import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from './startup-error.js';

/**
 * The port the API will get, 0 standing for any free one. A taken port is refused here, in one line, rather than by an
 * API that dies. `patienceMs`: a predecessor that was killed may still be letting go of it.
 */
export async function reservePort(host: string, port: number, patienceMs: number): Promise<number> {
  for (const end = Date.now() + patienceMs; ; await sleep(250)) {
    try {
      return await probe(host, port);
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && Date.now() < end) continue;
      throw new StartupError(explain(code, host, port));
    }
  }
}

function probe(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, host, () => {
      const { port: given } = server.address() as AddressInfo;
      server.close(() => resolve(given));
    });
  });
}

function explain(code: string, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is taken: stop what uses it, or choose another one, PORT=${port + 1} npm start`;
    case 'EACCES':
      return `port ${port} needs more rights than this account has: choose one above 1023, PORT=3000 npm start`;
    default:
      return `cannot listen on ${host}:${port} (${code}): HOST has to be an address of this machine`;
  }
}
