import type { Readable } from 'node:stream';

const MOST_BYTES = 32 * 1024 * 1024;
const MOST_MS = 3_000;

/**
 * Reads what is still to come of a request that is refused, and throws it away. Whoever answers and closes while a client is writing takes
 * its answer back: the client sees a broken connection. Bounded, since nobody is to keep us reading.
 */
export function readToEnd(request: Readable, { mostBytes = MOST_BYTES, mostMs = MOST_MS } = {}): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const end = () => {
      clearTimeout(timer);
      request.off('data', onData).off('end', end).off('close', end).off('error', end);
      resolve();
    };
    const onData = (chunk: Buffer | string) => {
      bytes += chunk.length;
      if (bytes > mostBytes) end();
    };
    const timer = setTimeout(end, mostMs);
    request.on('data', onData).once('end', end).once('close', end).once('error', end).resume();
  });
}
