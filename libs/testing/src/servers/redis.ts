import { connect } from 'node:net';
import { findBinary } from './find-binary.js';
import { freePort } from './free-port.js';
import { type ServerProcess, startServer } from './server-process.js';
import { makeTempDir } from './temp-dir.js';

export interface RedisServer extends ServerProcess {
  url: string;
  port: number;
}

export const findRedis = (): string | undefined => findBinary('redis-server', 'valkey-server');

export async function startRedis(options: { args?: string[]; port?: number } = {}): Promise<RedisServer> {
  const command = findRedis();
  if (!command) throw new Error('redis-server is not installed: apt-get install redis-server');
  const port = options.port ?? (await freePort());
  const folder = makeTempDir('redis');
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  // hz: BullMQ's delayed jobs wake up on Redis' own timer, 45 ms late at the default of 10.
  const tuning = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction', '--hz', '500'];
  const isReady = () => ping(port);
  const server = await startServer({ command, args: [...args, ...tuning, ...(options.args ?? [])], folder, isReady });
  return Object.assign(server, { port, url: `redis://127.0.0.1:${port}` });
}

function ping(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const answer = (isReady: boolean) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.once('data', (data) => answer(data.toString().startsWith('+PONG')));
    socket.once('error', () => answer(false));
    socket.setTimeout(1000, () => answer(false));
  });
}
