import { createServer, type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { readerFor, type StatementReader } from './statements.js';

export interface StopAt {
  /** The statement to stop at, */
  statement: RegExp;
  /** on a connection that has said this before it, since its last COMMIT. */
  after?: RegExp;
  /** `request`: the statement never gets there. `reply`: it is carried out, and nobody hears what came of it. */
  side: 'request' | 'reply';
}

interface Stop extends StopAt {
  reached: (link: Link) => void;
}

/** Stands between the product and a server, and does to their connections what networks do. */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private isHolding = false;
  private stop: Stop | undefined;

  private constructor(
    private readonly server: Server,
    private readonly serverUrl: URL,
  ) {}

  static async start(serverUrl: string): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, new URL(serverUrl));
    server.on('connection', (client) => proxy.accept(client));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The server's address, by way of us. */
  get url(): string {
    const url = new URL(this.serverUrl);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  get connections(): number {
    return this.links.size;
  }

  /** Resets every connection there is. */
  cut(): void {
    for (const link of this.links) link.cut();
  }

  /** A black hole: nothing gets through, nothing is refused. What was sent arrives with `release`, as TCP would have it. */
  hold(): void {
    this.isHolding = true;
    for (const link of this.links) link.hold();
  }

  release(): void {
    this.isHolding = false;
    for (const link of this.links) link.release();
  }

  /** Resolves when the next such statement has come; its connection stands still there until it is cut. */
  stopAt(where: StopAt): Promise<Link> {
    return new Promise((reached) => (this.stop = { ...where, reached }));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  private accept(client: Socket): void {
    const { hostname, port, protocol } = this.serverUrl;
    const server = connect(Number(port), hostname);
    const reader = protocol === 'redis:' ? undefined : readerFor(this.serverUrl.href);
    const link = new Link(client, server, reader, (statement, said) => this.stopFor(statement, said));
    this.links.add(link);
    client.once('close', () => this.links.delete(link));
    if (this.isHolding) link.hold();
  }

  private stopFor(statement: string, said: readonly string[]): Stop | undefined {
    const { stop } = this;
    if (!stop?.statement.test(statement)) return undefined;
    if (stop.after && !said.some((one) => stop.after!.test(one))) return undefined;
    this.stop = undefined;
    return stop;
  }
}

/** One connection through the proxy. */
export class Link {
  private readonly waiting: (() => void)[] = [];
  private isHeld = false;
  private stopped: Stop | undefined;
  private said: string[] = [];

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly reader: StatementReader | undefined,
    private readonly stopFor: (statement: string, said: readonly string[]) => Stop | undefined,
  ) {
    client.setNoDelay(true);
    server.setNoDelay(true);
    client.on('data', (bytes) => this.fromClient(bytes));
    server.on('data', (bytes) => this.fromServer(bytes));
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.once('close', () => server.destroy());
    server.once('close', () => this.pass(() => client.destroy()));
  }

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    for (const deliver of this.waiting.splice(0)) deliver();
  }

  /** A reset, not a polite end. */
  cut(): void {
    this.client.resetAndDestroy();
    this.server.destroy();
  }

  private fromClient(bytes: Buffer): void {
    const stop = this.reader?.feed(bytes).reduce((found: Stop | undefined, one) => this.hear(one) ?? found, undefined);
    if (this.stopped?.side === 'request') return;
    this.stopped ??= stop;
    if (stop?.side === 'request') return stop.reached(this);
    this.pass(() => this.server.write(bytes));
  }

  private fromServer(bytes: Buffer): void {
    if (this.stopped?.side === 'reply') return this.stopped.reached(this);
    if (!this.stopped) this.pass(() => this.client.write(bytes));
  }

  private hear(statement: string): Stop | undefined {
    const stop = this.stopFor(statement, this.said);
    this.said = /^(COMMIT|ROLLBACK|BEGIN|START)/i.test(statement) ? [] : [...this.said.slice(-20), statement];
    return stop;
  }

  private pass(deliver: () => void): void {
    if (this.isHeld) this.waiting.push(deliver);
    else deliver();
  }
}
