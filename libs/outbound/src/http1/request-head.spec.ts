import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requestHead, type RequestLine } from './request-head.js';

const of = (more: Partial<RequestLine> = {}): string =>
  requestHead({
    ...{ method: 'POST', path: '/a?b=c', host: 'example.org:8080', headers: {}, more: '', length: 3, keepsAlive: true },
    ...more,
  });

describe('the head of a request', () => {
  it('is its line, its host, its headers and its length', () => {
    expect(of({ headers: { 'X-A': 'b', accept: 'ü' }, more: 'user-agent: us\r\n' })).toBe(
      [
        'POST /a?b=c HTTP/1.1',
        'host: example.org:8080',
        'connection: keep-alive',
        'X-A: b',
        'accept: ü',
        'user-agent: us',
        'content-length: 3\r\n\r\n',
      ].join('\r\n'),
    );
  });

  it.each([
    ['POST', 'content-length: 0\r\n\r\n'],
    ['PUT', 'content-length: 0\r\n\r\n'],
    ['PATCH', 'content-length: 0\r\n\r\n'],
    ['GET', 'connection: keep-alive\r\n\r\n'],
    ['HEAD', 'connection: keep-alive\r\n\r\n'],
    ['DELETE', 'connection: keep-alive\r\n\r\n'],
  ])('of a %s without a body ends with %j', (method, end) => {
    expect(of({ method, length: null }).endsWith(`\r\n${end}`)).toBe(true);
  });

  it('says that its connection is not used again', () => {
    expect(of({ keepsAlive: false })).toContain('\r\nconnection: close\r\n');
  });

  it.each([
    'connection',
    'Content-Length',
    'expect',
    'Host',
    'Keep-Alive',
    'TE',
    'trailer',
    'Transfer-Encoding',
    'Upgrade',
  ])('takes no %s from others', (name) => {
    expect(() => of({ headers: { [name]: 'x' } })).toThrow(`invalid ${name} header`);
  });

  it.each(['', 'a b', 'a:', 'a\r\nb', 'é', 'a\0'])('takes no name such as %j', (name) => {
    expect(() => of({ headers: { [name]: 'x' } })).toThrow('invalid header key');
  });

  it.each(['', 'GET /', 'GÉT', 'A\r\nB'])('takes no method such as %j', (method) => {
    expect(() => of({ method })).toThrow('invalid request method');
  });

  it('has one line for each header, whatever is in it, or is refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        let text: string;
        try {
          text = of({ headers: { x: value } });
        } catch (error) {
          expect((error as Error).message).toBe('invalid x header');
          return;
        }
        expect(text.split(/\r\n|\r|\n/)).toHaveLength(7);
      }),
    );
  });
});
