import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HeadMemory } from './response-head.js';
import { ResponseReader } from './response-reader.js';

interface Read {
  status?: number;
  headers?: object;
  body: string;
  isOver: boolean;
  behind: number;
  keepsAlive?: boolean;
  keepAliveMs?: number | null;
}

/** What is read of these pieces, one after the other, and of the end of the connection if it is told. */
function read(pieces: readonly Buffer[], { isHead = false, ends = false } = {}): Read {
  const seen: Read = { body: '', isOver: false, behind: 0 };
  const listener = {
    onHead: (status: number, headers: object) => void Object.assign(seen, { status, headers }),
    onData: (chunk: Buffer) => void (seen.body += chunk.toString('latin1')),
  };
  const reader = new ResponseReader(isHead, listener, new HeadMemory());
  for (const piece of pieces) {
    if (reader.isOver) seen.behind += piece.length;
    else seen.behind += reader.push(piece);
  }
  if (ends) reader.end();
  return {
    ...seen,
    isOver: reader.isOver,
    keepsAlive: reader.head?.keepsAlive,
    keepAliveMs: reader.head?.keepAliveMs,
  };
}

const all = (text: string, options?: Parameters<typeof read>[1]) => read([Buffer.from(text, 'latin1')], options);

/** Errors by their code, so that two readings can be compared whatever came of them. */
function attempt(pieces: readonly Buffer[], options?: Parameters<typeof read>[1]): Read | string {
  try {
    return read(pieces, options);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const PLAIN = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello';
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nx: 1\r\nX: 2\r\n\r\n3\r\nhel\r\n2;a="b"\r\nlo\r\n0\r\nt: 1\r\n\r\n';

describe('a response', () => {
  it('with a length ends there', () => {
    expect(all(PLAIN)).toEqual({
      ...{ status: 200, headers: { 'content-length': '5' }, body: 'hello' },
      ...{ isOver: true, behind: 0, keepsAlive: true, keepAliveMs: null },
    });
  });

  it('in chunks ends with the last one, and its trailers are passed over', () => {
    expect(all(CHUNKED)).toMatchObject({ status: 200, headers: { x: ['1', '2'] }, body: 'hello', isOver: true });
  });

  it('with neither ends with its connection', () => {
    const text = 'HTTP/1.1 200 OK\r\n\r\nhello';
    expect(all(text)).toMatchObject({ body: 'hello', isOver: false, keepsAlive: false });
    expect(all(text, { ends: true })).toMatchObject({ body: 'hello', isOver: true, keepsAlive: false });
  });

  it.each([PLAIN.slice(0, -1), CHUNKED.slice(0, -1), 'HTTP/1.1 200 OK\r\n', ''])(
    'that is cut off is not over when its connection is: %j',
    (text) => {
      expect(all(text, { ends: true }).isOver).toBe(false);
    },
  );

  it.each([
    ['HTTP/1.1 204 No Content\r\n\r\n', false],
    ['HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n', false],
    ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', true],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', true],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', false],
  ])('that can have no body has none: %j', (text, isHead) => {
    expect(all(text, { isHead })).toMatchObject({ isOver: true, body: '', behind: 0 });
  });

  it('comes after those that only announce it', () => {
    const text = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${PLAIN}`;
    expect(all(text)).toMatchObject({ status: 200, headers: { 'content-length': '5' }, body: 'hello' });
  });

  it('tells what lies behind it', () => {
    expect(all(`${PLAIN}HTTP/1.1 200 OK`)).toMatchObject({ isOver: true, body: 'hello', behind: 15 });
    expect(all(`${CHUNKED}x`)).toMatchObject({ isOver: true, body: 'hello', behind: 1 });
    expect(all('HTTP/1.1 204 x\r\n\r\nyz')).toMatchObject({ isOver: true, behind: 2 });
  });

  it.each([
    ['HTTP/1.1 200 OK', true, null],
    ['HTTP/1.1 200 OK\r\nconnection: Keep-Alive\r\nkeep-alive: timeout=5, max=9', true, 5_000],
    ['HTTP/1.1 200 OK\r\nconnection: close', false, null],
    ['HTTP/1.1 200 OK\r\nconnection: x\r\nconnection: y, Close', false, null],
    ['HTTP/1.0 200 OK', false, null],
    ['HTTP/1.0 200 OK\r\nconnection: keep-alive', true, null],
  ])('says whether its connection may be used again: %j', (head, keepsAlive, keepAliveMs) => {
    expect(all(`${head}\r\ncontent-length: 0\r\n\r\n`)).toMatchObject({ keepsAlive, keepAliveMs });
  });

  it.each([
    ['204 x', '', true],
    ['204 x', 'content-length: 0\r\n', true],
    ['204 x', 'content-length: 5\r\n', false],
    ['204 x', 'transfer-encoding: chunked\r\n', false],
    ['304 x', '', true],
    ['304 x', 'content-length: 5\r\n', true],
    ['304 x', 'transfer-encoding: chunked\r\n', false],
    ['200 x', '', false],
    ['200 x', 'transfer-encoding: chunked\r\n', true],
    ['200 x', 'transfer-encoding: gzip, chunked\r\n', false],
  ])('of %s with %j leaves its connection usable: %s', (status, header, keepsAlive) => {
    expect(all(`HTTP/1.1 ${status}\r\n${header}\r\n`)).toMatchObject({ keepsAlive });
  });

  it('may say twice that it is in chunks, and pad their sizes', () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n';
    const text = `${head}${'0'.repeat(20)}3 ;x="y"\r\nabc\r\n0\r\n\r\n`;
    expect(all(text)).toMatchObject({ body: 'abc', isOver: true, keepsAlive: false });
  });

  it('may have 16 KiB of headers, however many', () => {
    const headers = 'a:b\r\n'.repeat(5_500);
    expect(all(`HTTP/1.1 200 OK\r\n${headers}content-length: 0\r\n\r\n`)).toMatchObject({ isOver: true });
  });

  it('may have headers that objects have by themselves, and bytes that are no ASCII', () => {
    const { headers } = all('HTTP/1.1 200\r\n__proto__: a\r\nconstructor: b\r\nconstructor: c\r\nz:\t\xe9 \r\n\r\n');
    expect(Object.entries(headers ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', ['b', 'c']],
      ['z', 'é'],
    ]);
  });

  it.each([
    ['SSH-2.0-OpenSSH_9.2\r\n', 'HPE_INVALID_CONSTANT'],
    ['HTTP/2 200 OK\r\n\r\n', 'HPE_INVALID_VERSION'],
    ['HTTP/1.2 200 OK\r\n\r\n', 'HPE_INVALID_VERSION'],
    ['HTTP/1.1 20 OK\r\n\r\n', 'HPE_INVALID_STATUS'],
    ['HTTP/1.1 2000\r\n\r\n', 'HPE_INVALID_STATUS'],
    ['HTTP/1.1 099 OK\r\n\r\n', 'HPE_INVALID_STATUS'],
    ['HTTP/1.1 200 O\0K\r\n\r\n', 'HPE_INVALID_STATUS'],
    ['HTTP/1.1 200 OK\ncontent-length: 0\n\n', 'HPE_CR_EXPECTED'],
    ['HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['HTTP/1.1 200 OK\r\na: b\rc: d\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['HTTP/1.1 200 OK\r\na\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['HTTP/1.1 200 OK\r\na\r\nb: c\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['HTTP/1.1 200 OK\r\na : b\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['HTTP/1.1 200 OK\r\n: b\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['HTTP/1.1 200 OK\r\na: \0\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n', 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n', 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ['HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'HPE_INVALID_CONTENT_LENGTH'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 1, 1\r\n\r\n', 'HPE_INVALID_CONTENT_LENGTH'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0x1\r\n\r\n', 'HPE_INVALID_CONTENT_LENGTH'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked, gzip\r\n\r\n', 'HPE_INVALID_TRANSFER_ENCODING'],
    ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n', 'UND_ERR_SOCKET'],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(16_400)}\r\n\r\n`, 'UND_ERR_HEADERS_OVERFLOW'],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}`, 'UND_ERR_HEADERS_OVERFLOW'],
    ['HTTP/1.1 100 x\r\n\r\n'.repeat(21), 'HPE_INVALID_STATUS'],
  ])('%.60j is refused', (text, code) => {
    expect(attempt([Buffer.from(text, 'latin1')])).toBe(code);
  });

  it.each([
    'x\r\n',
    '\r\n',
    '1\n',
    '1\r\nab',
    '1\r\na\n',
    '-1\r\n',
    '1 \n',
    'ffffffffffffff\r\n',
    '1;'.padEnd(5_000, 'x'),
    '0'.repeat(5_000),
    '2 x\r\n',
    '1;\0\r\n',
    '0\r\nno colon\r\n\r\n',
    '0\r\n\n',
  ])('in chunks such as %.20j is refused', (text) => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    expect(attempt([Buffer.from(head + text)])).toMatch(/^HPE_INVALID_(CHUNK_SIZE|HEADER_TOKEN)$/);
  });

  it.each([
    ['extensions', `1;${'x'.repeat(1_000)}\r\na\r\n`],
    ['spaces', `1${' '.repeat(1_000)}\r\na\r\n`],
    ['zeros', `${'0'.repeat(40)}1\r\na\r\n`],
  ])('with more %s than body is refused before long, however small they are each', (_, chunk) => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    expect(attempt([head, ...Array<string>(20).fill(chunk)].map((text) => Buffer.from(text)))).toBe(
      'HPE_INVALID_CHUNK_SIZE',
    );
  });

  it('with trailers that do not end is refused', () => {
    const text = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(4_000)}`;
    expect(attempt([Buffer.from(text)])).toBe('HPE_INVALID_HEADER_TOKEN');
  });
});

describe('however a response is cut', () => {
  const body = fc
    .string({ unit: 'binary', maxLength: 300 })
    .map((text) => Buffer.from(text, 'utf8').toString('latin1'));
  const inChunks = fc
    .array(
      body.filter((text) => text !== ''),
      { maxLength: 5 },
    )
    .map((parts) => {
      const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
      return { text: `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`, body: parts.join('') };
    });
  const withLength = body.map((text) => ({
    text: `HTTP/1.1 201 Created\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    body: text,
  }));
  const announced = withLength.map((one) => ({ ...one, text: `HTTP/1.1 103 x\r\na: b\r\n\r\n${one.text}` }));
  const cuts = fc.array(fc.nat(600), { maxLength: 12 });

  function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
    const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
    return ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end)).filter((piece) => piece.length > 0);
  }

  it('the same is read', () => {
    fc.assert(
      fc.property(fc.oneof(inChunks, withLength, announced), cuts, body, (response, places, behind) => {
        const bytes = Buffer.from(response.text + behind, 'latin1');
        const seen = read(cutAt(bytes, places));
        expect(seen).toMatchObject({ body: response.body, isOver: true, behind: behind.length });
      }),
      { numRuns: 500 },
    );
  });

  it('the same is made of bytes that nobody would send', () => {
    const odd = fc.array(
      fc.constantFrom(
        ...['HTTP/1.1 200 OK', 'HTTP/1.1 100 x', '\r\n', '\r', '\n', ' ', 'a: b', 'content-length: 3', 'x', '0', '3'],
        ...['transfer-encoding: chunked', 'connection: close', '\r\n\r\n', 'é', ';', ':'],
      ),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(odd, cuts, fc.boolean(), (words, places, ends) => {
        const bytes = Buffer.from(words.join(''), 'latin1');
        const [whole, cut] = [attempt([bytes], { ends }), attempt(cutAt(bytes, places), { ends })];
        // What is wrong may be noticed in another place; that something is may not depend on how it came.
        if (typeof whole === 'string' || typeof cut === 'string') expect(typeof cut).toBe(typeof whole);
        else expect(cut).toEqual(whole);
      }),
      { numRuns: 2_000 },
    );
  });
});
