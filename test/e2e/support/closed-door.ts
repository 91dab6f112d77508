import { type ChildProcess, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { guard } from '#testing';

/** An HTTP server that answers 202, and says of every request on a line which attempt it was. */
const SERVER = `
  const server = require('node:http').createServer((request, response) => {
    console.log('attempt ' + request.headers['x-punctual-attempt']);
    request.resume().on('end', () => response.writeHead(202).end());
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log('port ' + server.address().port));
`;

/**
 * A target nobody can get into: it is stopped, and others stand in its doorway. Whoever wants to call it has nothing sent yet,
 * for as long as one likes; opened, it answers like any other.
 */
export class ClosedDoor {
  /** The attempts that got in. */
  readonly attempts: string[] = [];

  private constructor(
    private readonly server: ChildProcess,
    private readonly inDoorway: Socket[],
    readonly url: string,
  ) {}

  static async build(): Promise<ClosedDoor> {
    const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
    const guardian = guard(server.pid!, '/nonexistent');
    server.once('close', () => guardian.dismiss());
    const lines = createInterface(server.stdout);
    const port = await new Promise<number>((resolve) =>
      lines.once('line', (line) => resolve(Number(line.split(' ')[1]))),
    );
    server.kill('SIGSTOP');
    const door = new ClosedDoor(server, await crowd(port), `http://127.0.0.1:${port}/`);
    lines.on('line', (line) => door.attempts.push(line.split(' ')[1]));
    return door;
  }

  open(): void {
    this.server.kill('SIGCONT');
    for (const socket of this.inDoorway) socket.destroy();
  }

  close(): void {
    this.open();
    this.server.kill('SIGKILL');
  }
}

/** The system lets two in for a backlog of one; the third has to wait outside. */
async function crowd(port: number): Promise<Socket[]> {
  const sockets = [1, 2].map(() => connect(port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(sockets.map((socket) => new Promise<void>((entered) => socket.once('connect', entered))));
  return sockets;
}
