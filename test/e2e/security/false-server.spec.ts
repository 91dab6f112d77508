import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import mariadb from 'mariadb';
import { serverTls } from '#config';
import { type Authority, makeAuthority } from '#testing';

const PASSWORD = 'canary-password';
/** Of the protocol: 4.1, TLS, a plugin for authentication, and the rest of what any server has. */
const [LOW, HIGH] = [0xaa0f, 0x0028];

/** What a server says first; this one asks for the password as it is. */
function greeting(version: string): Buffer {
  const seed = Buffer.alloc(20, 'A');
  const body = Buffer.concat([
    Buffer.from([10]),
    Buffer.from(`5.5.5-${version}\0`),
    Buffer.from([1, 0, 0, 0]),
    seed.subarray(0, 8),
    Buffer.from([0, LOW & 0xff, LOW >> 8, 33, 2, 0, HIGH, 0, 21, ...Array<number>(10).fill(0)]),
    seed.subarray(8),
    Buffer.from('\0mysql_clear_password\0'),
  ]);
  return Buffer.concat([Buffer.from([body.length & 0xff, body.length >> 8, 0, 0]), body]);
}

/** The length of the packet with which a client asks for TLS. */
const TLS_REQUEST = 36;

describe('a server that only pretends to be the database', () => {
  let authority: Authority;
  let server: net.Server;
  let asked = 0;
  let heard = '';

  beforeAll(async () => {
    authority = makeAuthority();
    const stranger = makeAuthority();
    const { cert, key } = stranger.issue('stranger', ['IP:127.0.0.1']);
    stranger.remove();
    server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(greeting('10.11.8-MariaDB'));
      socket.once('data', (first) => {
        asked++;
        socket.pause();
        socket.unshift(first.subarray(TLS_REQUEST));
        const secure = new tls.TLSSocket(socket, { isServer: true, cert, key });
        secure.on('error', () => undefined).on('data', (text) => (heard += text.toString('latin1')));
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });

  afterAll(async () => {
    await new Promise((closed) => server.close(closed));
    authority.remove();
  });

  it.each<[string, () => readonly string[] | null]>([
    ['a CA file', () => [authority.cert]],
    ['the authorities of the system', () => null],
  ])('never hears the password, with %s', async (_title, certificates) => {
    const before = asked;
    const { port } = server.address() as AddressInfo;
    const address = { host: '127.0.0.1', port, user: 'punctual', password: PASSWORD, connectTimeout: 5_000 };
    const ssl = serverTls({ path: 'ca.pem', certificates: certificates() }, '127.0.0.1');
    await expect(mariadb.createConnection({ ...address, ssl })).rejects.toThrow();
    expect(asked).toBe(before + 1);
    expect(heard).not.toContain(PASSWORD);
  });
});
