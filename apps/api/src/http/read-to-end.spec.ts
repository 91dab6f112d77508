import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readToEnd } from './read-to-end.js';

describe('what is still to come of a refused request', () => {
  it('is read to its end', async () => {
    const request = new PassThrough();
    const read = readToEnd(request);
    request.write(Buffer.alloc(100_000));
    request.end();
    await read;
    expect(request.readableLength).toBe(0);
  });

  it.each([
    ['no more than so many bytes', { mostBytes: 10 }],
    ['no longer than so long', { mostMs: 1 }],
  ])('is read for %s', async (_title, limits) => {
    const request = new PassThrough();
    request.write(Buffer.alloc(100));
    await expect(readToEnd(request, limits)).resolves.toBeUndefined();
  });

  it('is nothing where the request has ended, or its connection', async () => {
    const request = new PassThrough().end().resume();
    await new Promise((done) => request.once('end', done));
    await readToEnd(request);
    const broken = new PassThrough();
    const read = readToEnd(broken);
    broken.destroy(new Error('reset'));
    await expect(read).resolves.toBeUndefined();
  });
});
