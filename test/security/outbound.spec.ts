import { createServer as createProxy } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig, trustedOf } from '#config';
import { type Authority, makeAuthority } from '#testing';
import { names, Outbound, WAYS_OUT } from '../support/outbound.js';

const BLOCKED = { code: 'ADDRESS_BLOCKED' };
const ALLOW_ALL = ['*', '0.0.0.0/0', '::/0'];

const outbound = new Outbound();
afterEach(() => outbound.close());

describe.each(WAYS_OUT)('outbound security, calls to a %s', (way) => {
  /** Every one of these leads to the listener on this machine, or to where nobody may be called, unless it is stopped. */
  const PLACES: Record<string, string[]> = {
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '[fd12:3456::1]', '[fc00::1]'],
    loopback: ['127.0.0.1', '127.255.255.254', '[::1]', '[0:0:0:0:0:0:0:1]', 'localhost', 'LocalHost'],
    'link-local': ['169.254.1.1', '[fe80::1]', '[febf::1]'],
    reserved: [
      ...['0.0.0.0', '0.1.2.3', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1'],
      ...['255.255.255.255', '[::]', '[100::1]', '[2001:db8::1]', '[2001::1]', '[3fff::1]', '[5f00::1]', '[fec0::1]'],
    ],
    multicast: ['224.0.0.1', '239.255.255.255', '[ff02::1]', '[ff0e::1]'],
    NAT64: ['[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]'],
    '6to4': ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:a9fe:a9fe::]', '192.88.99.1'],
    mapped: ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a00:1]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]'],
    metadata: [
      ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
      ...['[fd00:ec2::254]', '[fd00:ec2::23]', '[fd20:ce::254]', '[fd00:c1::a9fe:a9fe]', '[fd00:42::42]'],
      ...['[fd00:a9fe:a9fe::1]', '[::ffff:169.254.169.254]', '[fe80::a9fe:a9fe]'],
    ],
  };

  it.each(Object.entries(PLACES))('no %s address is dialled, in either family', async (_, hosts) => {
    const { port, touched } = await outbound.trap();
    const call = outbound.way(way);
    for (const host of hosts) {
      for (const scheme of ['http', 'https']) {
        expect([host, await call(`${scheme}://${host}:${port}/`)]).toMatchObject([host, BLOCKED]);
      }
    }
    expect(touched()).toBe(false);
  });

  it.each([
    ...['0x7f.1', '017700000001', '2130706433', '0x7f000001', '127.1', '0177.0.0.1', '0', '127.0.0.1.', 'localhost.'],
    ...['１２７.0.0.1', '127。0。0。1', '127．0．0．1', '%31%32%37.0.0.1', '%6cocalhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', '①②⑦.0.0.1'],
    ...['example.org@127.0.0.1', 'example.org:80@127.0.0.1', 'a:b@[::1]', '[::ffff:127.0.0.1]', '[::FFFF:7F00:0001]'],
  ])('the odd spelling %s leads nowhere', async (host) => {
    const { port, touched } = await outbound.trap();
    const resolve = names({ localhost: ['127.0.0.1', '::1'] });
    expect(await outbound.way(way, { resolve })(`http://${host}:${port}/`)).toMatchObject(BLOCKED);
    expect(touched()).toBe(false);
  });

  it.each([
    'http:\\\\127.0.0.1:PORT/',
    'http:/\\127.0.0.1:PORT/',
    'http:127.0.0.1:PORT/',
    'http://127.0.0.1:PORT\\@example.org/',
    'http://127.0.0.1:PORT#@example.org/',
    'http://127.0.0.1:PORT?@example.org/',
    'http://\t127.0.0.1:PORT/',
    'http://127.0.0.1\n:PORT/',
    'http://[::1%25lo]:PORT/',
    'http://127.0.0.1%00.example.org:PORT/',
    'http://127.0.0.1%2f@example.org:PORT/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT/',
    '//127.0.0.1:PORT/',
  ])('the odd URL %j leads nowhere', async (url) => {
    const { port, touched } = await outbound.trap();
    const resolve = names({});
    const { code, status } = await outbound.way(way, { resolve })(url.replace('PORT', String(port)));
    expect(status).toBeUndefined();
    expect(['ADDRESS_BLOCKED', 'INVALID_REQUEST', 'ENODATA']).toContain(code);
    expect(touched()).toBe(false);
  });

  it.each([
    ['public and private', ['93.184.216.34', '127.0.0.1']],
    ['IPv6 public and IPv4 loopback', ['2606:4700::1', '127.0.0.1']],
    ['public and IPv6 loopback', ['93.184.216.34', '::1']],
    ['public and mapped', ['93.184.216.34', '::ffff:127.0.0.1']],
    ['public and metadata', ['93.184.216.34', '169.254.169.254']],
  ])('a name that resolves to both, %s, is refused whole', async (_, addresses) => {
    const { port, touched } = await outbound.trap();
    const call = outbound.way(way, { resolve: names({ 'both.example': addresses }) });
    expect(await call(`http://both.example:${port}/`)).toMatchObject(BLOCKED);
    expect(touched()).toBe(false);
  });

  it('rebinding between check and dial: only the address that was checked is dialled, and each connection anew', async () => {
    const port = await outbound.serve((_, response) => response.setHeader('connection', 'close').end('checked'));
    const answers = ['127.0.0.1', '169.254.169.254', '10.0.0.1'];
    let asked = 0;
    const call = outbound.way(way, {
      allow: ['127.0.0.1'],
      resolve: (_, done) => done(null, [{ address: answers[asked++], family: 4 }]),
    });
    expect(await call(`http://rebind.example:${port}/`)).toMatchObject({ status: 200, body: 'checked' });
    expect(asked).toBe(1);
    expect(await call(`http://rebind.example:${port}/`)).toMatchObject(BLOCKED);
    expect(await call(`http://rebind.example:${port}/`)).toMatchObject(BLOCKED);
  });

  it('a connection that is kept open serves the host it was judged for and no other', async () => {
    const seen: unknown[] = [];
    const port = await outbound.serve((request, response) => {
      seen.push([request.headers.host, request.socket.remotePort]);
      response.end('ok');
    });
    const resolve = names({ 'good.example': ['127.0.0.1'], 'bad.example': ['127.0.0.1'] });
    const call = outbound.way(way, { allow: ['good.example'], resolve });
    expect(await call(`http://good.example:${port}/`)).toMatchObject({ status: 200 });
    expect(await call(`http://bad.example:${port}/`)).toMatchObject(BLOCKED);
    expect(await call(`http://127.0.0.1:${port}/`)).toMatchObject(BLOCKED);
    expect(seen).toHaveLength(1);
  });

  it('OUTBOUND_ALLOW opens networks, hosts and ports, and only those', async () => {
    const port = await outbound.serve((_, response) => response.end('in'));
    const resolve = names({ 'a.internal': ['127.0.0.1'], 'evil-internal': ['127.0.0.1'], internal: ['127.0.0.1'] });
    const answer = async (allow: string[], host: string) =>
      (await outbound.way(way, { allow, resolve })(`http://${host}:${port}/`)).body ?? 'blocked';
    expect(await answer(['127.0.0.0/8'], '127.0.0.1')).toBe('in');
    expect(await answer(['127.0.0.0/8'], '[::ffff:127.0.0.1]')).toBe('in');
    expect(await answer(['127.0.0.2/32'], '127.0.0.1')).toBe('blocked');
    expect(await answer(['*.internal'], 'a.internal')).toBe('in');
    expect(await answer(['*.internal'], 'A.Internal.')).toBe('in');
    expect(await answer(['*.internal'], 'evil-internal')).toBe('blocked');
    expect(await answer(['*.internal'], 'internal')).toBe('blocked');
    expect(await answer([`*.internal:${port}`], 'a.internal')).toBe('in');
    expect(await answer([`*.internal:${port - 1}`], 'a.internal')).toBe('blocked');
    expect(await answer([`127.0.0.0/8:${port - 1}`], '127.0.0.1')).toBe('blocked');
  });

  it('OUTBOUND_DENY closes networks, hosts and ports, also public and allowed ones', async () => {
    const port = await outbound.serve((_, response) => response.end('in'));
    const resolve = names({ 'a.internal': ['127.0.0.1'], 'public.example': ['93.184.216.34'] });
    const call = (deny: string[], url: string) =>
      outbound.way(way, { allow: ALLOW_ALL, allowLoopback: true, deny, resolve })(url);
    expect(await call(['10.0.0.0/8'], `http://a.internal:${port}/`)).toMatchObject({ body: 'in' });
    expect(await call(['127.0.0.0/8'], `http://a.internal:${port}/`)).toMatchObject(BLOCKED);
    expect(await call(['*.internal'], `http://A.INTERNAL.:${port}/`)).toMatchObject(BLOCKED);
    expect(await call([`*:${port}`], `http://127.0.0.1:${port}/`)).toMatchObject(BLOCKED);
    expect(await call(['127.0.0.1'], `http://[::ffff:7f00:1]:${port}/`)).toMatchObject(BLOCKED);
    expect(await call(['public.example'], 'http://public.example/')).toMatchObject(BLOCKED);
    expect(await call(['93.184.0.0/16'], 'http://public.example/')).toMatchObject(BLOCKED);
  });

  it('metadata services stay blocked whatever is allowed: by address, by name, and behind a name that is allowed', async () => {
    const { port, touched } = await outbound.trap();
    const resolve = names({
      'metadata.google.internal': ['127.0.0.1'],
      'my.internal': ['169.254.169.254'],
      'six.internal': ['fd00:ec2::254'],
    });
    const allow = [...ALLOW_ALL, '169.254.169.254', 'fd00:ec2::/32', '*.internal', 'metadata.google.internal'];
    const call = outbound.way(way, { allow, allowLoopback: true, resolve });
    for (const host of [...PLACES.metadata, 'metadata.google.internal', 'METADATA.Google.Internal.']) {
      expect([host, await call(`http://${host}:${port}/`)]).toMatchObject([host, BLOCKED]);
    }
    expect(await call(`http://my.internal:${port}/`)).toMatchObject(BLOCKED);
    expect(await call(`http://six.internal:${port}/`)).toMatchObject(BLOCKED);
    expect(touched()).toBe(false);
  });

  it('a refusal does not tell which address a name has', async () => {
    const { message } = await outbound.way(way, { resolve: names({ 'a.example': ['10.11.12.13'] }) })(
      'http://a.example/',
    );
    expect(message).toContain('a.example');
    expect(message).not.toContain('10.11');
  });

  it.each([301, 302, 303, 307, 308])(
    'a %d is a failure: it is not followed, and no credentials reach another origin',
    async (status) => {
      const other = await outbound.trap();
      const seen: unknown[] = [];
      const port = await outbound.serve((request, response) => {
        seen.push(request.url, request.headers.authorization);
        response.writeHead(status, { location: `http://127.0.0.1:${other.port}/`, 'set-cookie': 'session=1' }).end();
      });
      const call = outbound.way(way, { allowLoopback: true });
      expect(await call(`http://127.0.0.1:${port}/a`, { headers: { Authorization: 'Bearer x' } })).toMatchObject({
        status,
      });
      expect(seen).toEqual(['/a', 'Bearer x']);
      expect(other.touched()).toBe(false);
    },
  );

  it('nothing of one call goes along with the next: no cookies, no credentials, none out of a URL', async () => {
    const seen: unknown[] = [];
    const port = await outbound.serve(({ headers }, response) => {
      seen.push([headers.authorization, headers.cookie]);
      response.setHeader('set-cookie', 'session=1').setHeader('www-authenticate', 'Basic').end();
    });
    const call = outbound.way(way, { allowLoopback: true });
    await call(`http://127.0.0.1:${port}/`, { headers: { Authorization: 'Bearer x' } });
    await call(`http://127.0.0.1:${port}/`);
    await call(`http://user:password@127.0.0.1:${port}/`);
    expect(seen).toEqual([
      ['Bearer x', undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('proxy variables are ignored', async () => {
    const proxy = await outbound.trap();
    const url = `http://127.0.0.1:${proxy.port}`;
    const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    outbound.setEnv({
      ...Object.fromEntries(variables.map((name) => [name, url])),
      NODE_USE_ENV_PROXY: '1',
      NO_PROXY: '',
    });
    const port = await outbound.serve((_, response) => response.end('direct'));
    expect(await outbound.way(way, { allowLoopback: true })(`http://127.0.0.1:${port}/`)).toMatchObject({
      body: 'direct',
    });
    expect(await outbound.way(way)('http://10.0.0.1/')).toMatchObject(BLOCKED);
    expect(proxy.touched()).toBe(false);
  });

  it('a proxy that is configured is told the address that was checked, and asked for no other', async () => {
    const port = await outbound.serve((request, response) => response.end(request.headers.host));
    const asked: unknown[] = [];
    const server = createProxy().on('connect', ({ url, headers }, socket: Socket) => {
      asked.push([url, headers['proxy-authorization']]);
      const to = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        to.pipe(socket).pipe(to);
      });
      to.on('error', () => socket.destroy());
      socket.on('error', () => to.destroy());
    });
    const proxy = `http://user:p%40ss@127.0.0.1:${await outbound.listen(server)}`;
    const resolve = names({ 'a.example': ['93.184.216.34'], 'b.example': ['127.0.0.1'] });
    const call = outbound.way(way, { proxy, resolve });
    expect(await call('http://a.example/')).toMatchObject({ status: 200, body: 'a.example' });
    expect(await call('http://b.example/')).toMatchObject(BLOCKED);
    expect(await call('http://169.254.169.254/')).toMatchObject(BLOCKED);
    expect(asked).toEqual([['93.184.216.34:80', `Basic ${Buffer.from('user:p@ss').toString('base64')}`]]);
    expect(await outbound.way(way, { proxy: 'http://127.0.0.1:1', resolve })('http://a.example/')).toMatchObject({
      code: 'PROXY_FAILED',
    });
  });

  it('a proxy that says more than that the connection is there is not believed', async () => {
    const server = createProxy().on('connect', (_, socket: Socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    const proxy = `http://127.0.0.1:${await outbound.listen(server)}`;
    const call = outbound.way(way, { allowLoopback: true, proxy });
    expect(await call('http://127.0.0.1:9/')).toMatchObject({ code: 'PROXY_FAILED' });
  });

  it('a response is read up to a cap, headers too, and never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    let sent = 0;
    const port = await outbound.serve((request, response) => {
      if (request.url === '/headers') return response.setHeader('x', 'y'.repeat(40_000)).end();
      if (request.url === '/bomb') return response.setHeader('content-encoding', 'gzip').end(bomb);
      const pump = (): void => {
        while (!response.destroyed && sent < 2 ** 30) {
          sent += 65_536;
          if (!response.write(Buffer.alloc(65_536, 'x'))) return void response.once('drain', pump);
        }
      };
      pump();
    });
    const call = outbound.way(way, { allowLoopback: true });
    const endless = await call(`http://127.0.0.1:${port}/endless`);
    expect(endless.status).toBe(200);
    expect(endless.body?.length).toBeLessThanOrEqual(16 * 1024);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    const unread = await call(`http://127.0.0.1:${port}/bomb`);
    expect(Buffer.from(unread.body!, 'base64')).toEqual(bomb.subarray(0, way === 'notice' ? 512 : 16 * 1024));
    expect(await call(`http://127.0.0.1:${port}/headers`)).toMatchObject({ code: 'UND_ERR_HEADERS_OVERFLOW' });
  });

  it.each([
    ['never answers', ''],
    ['drips its headers', 'HTTP/1.1 200 OK\r\nx: '],
    ['drips its body', 'HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n'],
  ])('a total deadline ends a call to somebody who %s', async (_, head) => {
    const port = await outbound.serve(({ socket }) => {
      if (head === '') return;
      socket.write(head);
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const call = outbound.way(way, { allowLoopback: true });
    expect(await call(`http://127.0.0.1:${port}/`, { timeoutMs: 200 })).toEqual(
      expect.objectContaining({ code: 'ECONNABORTED' }),
    );
  });

  describe('over TLS', () => {
    let authority: Authority;
    beforeAll(() => {
      authority = makeAuthority();
    });
    afterAll(() => authority.remove());

    const serveTls = (subjects: string[]) => {
      const { cert, key } = authority.issue('server', subjects);
      return outbound.listen(createHttpsServer({ cert, key }, (_, response) => response.end('secret')));
    };
    const trusting = () => ({
      allowLoopback: true,
      trusted: trustedOf(readConfig({ OUTBOUND_CA_FILE: authority.certFile }).outboundCaFile),
      resolve: names({ 'other.example': ['127.0.0.1'], 'own.example': ['127.0.0.1'] }),
    });

    it('a certificate is verified, whatever the environment says', async () => {
      const port = await serveTls(['DNS:own.example', 'IP:127.0.0.1']);
      outbound.setEnv({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
      const { code, body } = await outbound.way(way, { allowLoopback: true })(`https://127.0.0.1:${port}/`);
      expect([code, body]).toEqual([expect.stringMatching(/^(UNABLE_TO_VERIFY|SELF_SIGNED)/), undefined]);
    });

    it('an authority of OUTBOUND_CA_FILE is trusted as well, for the hosts it has signed for', async () => {
      const port = await serveTls(['DNS:own.example', 'IP:127.0.0.1']);
      const call = outbound.way(way, trusting());
      expect(await call(`https://127.0.0.1:${port}/`)).toMatchObject({ status: 200, body: 'secret' });
      expect(await call(`https://own.example:${port}/`)).toMatchObject({ status: 200, body: 'secret' });
      expect(await call(`https://other.example:${port}/`)).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    });

    it('also through a proxy the certificate is that of the host', async () => {
      const port = await serveTls(['DNS:own.example']);
      const server = createProxy().on('connect', (_, socket: Socket) => {
        const to = connect(port, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
          to.pipe(socket).pipe(to);
        });
        to.on('error', () => socket.destroy());
        socket.on('error', () => to.destroy());
      });
      const proxy = `http://127.0.0.1:${await outbound.listen(server)}`;
      const call = outbound.way(way, { ...trusting(), proxy });
      expect(await call(`https://own.example:${port}/`)).toMatchObject({ status: 200, body: 'secret' });
      expect(await call(`https://other.example:${port}/`)).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    });
  });
});
