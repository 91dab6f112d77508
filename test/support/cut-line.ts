import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A line to a server that can be cut: nothing gets through, and whoever waits is not told. New calls are refused. */
export class CutLine {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(private readonly server: Server) {}

  /** Answers with the line, and the address to use instead. */
  static async to(address: string): Promise<{ line: CutLine; url: string }> {
    const url = new URL(address);
    const [port, host] = [Number(url.port), url.hostname];
    const server = createServer();
    const line = new CutLine(server);
    server.on('connection', (socket) => (line.isCut ? socket.destroy() : line.join(socket, connect({ port, host }))));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return { line, url: url.href };
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** What was on its way is lost, as after any outage that connections do not outlive. */
  mend(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      this.sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (chunk) => this.isCut || to.write(chunk));
      from.once('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}
