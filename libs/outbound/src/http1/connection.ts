import type { Socket } from 'node:net';
import { errors } from 'undici';
import type { HeadMemory, ResponseHeaders } from './response-head.js';
import { type ResponseListener, ResponseReader } from './response-reader.js';

/** A request as it goes over the wire. */
export interface WireRequest {
  /** Latin-1. */
  head: string;
  /** Null without one. */
  body: string | null;
  /** Whether `body` has a byte for each character, so that both can be sent as one text. */
  isAscii: boolean;
  /** HEAD: whatever its headers say, the response has no body. */
  hasNoBody: boolean;
  keepsAlive: boolean;
}

/** Who made the request, and is told what becomes of it. */
export interface Caller {
  /** Over before its request was sent: then it is not. */
  readonly isOver: boolean;
  /** The request goes out; `breakOff` ends it and its connection. */
  onSent(breakOff: () => void): void;
  onHead(status: number, headers: ResponseHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  fail(error: unknown): void;
}

/** Told what becomes of the connection. */
export interface ConnectionOwner {
  readonly heads: HeadMemory;
  /** The response has come in full, and another request may follow. */
  onFree(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/** A server says for how long it keeps a connection; it is let go this much earlier, since words take time. */
const MARGIN_MS = 2_000;
const KEEP_MS = { usual: 4_000, most: 60_000 };

/** One connection and the one request that is on it. */
export class Connection implements ResponseListener {
  /** Nothing is sent on it any more from then on, by performance.now(). */
  freeUntil = performance.now() + KEEP_MS.usual;
  private caller: Caller | null = null;
  private reader: ResponseReader | null = null;
  private keepsAlive = false;
  private rests = false;
  private error: Error | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly owner: ConnectionOwner,
  ) {
    socket.on('data', (bytes: Buffer) => this.read(bytes));
    socket.on('end', () => this.onSocketEnd());
    socket.on('error', (error) => (this.error ??= error));
    socket.on('close', () => this.onSocketClose());
  }

  send(request: WireRequest, caller: Caller): void {
    this.caller = caller;
    this.keepsAlive = request.keepsAlive;
    this.reader = new ResponseReader(request.hasNoBody, this, this.owner.heads);
    if (this.rests) this.socket.ref();
    this.rests = false;
    caller.onSent(this.breakOff);
    this.write(request);
  }

  readonly breakOff = (): void => {
    this.caller = null;
    this.socket.destroy();
  };

  /** Whoever waits for a response is told why there will be none. */
  destroy(error: Error): void {
    this.tell(error);
    this.socket.destroy();
  }

  /** Nobody needs it now: it keeps no process alive. */
  rest(): void {
    this.rests = true;
    this.socket.unref();
  }

  /** Whether another request may follow. A response that came before its request was sent in full leaves the rest of that in the way. */
  get isClean(): boolean {
    return !this.socket.destroyed && this.socket.writableLength === 0;
  }

  onHead(status: number, headers: ResponseHeaders): void {
    this.caller?.onHead(status, headers);
  }

  onData(chunk: Buffer): void {
    this.caller?.onData(chunk);
  }

  private write({ head, body, isAscii }: WireRequest): void {
    const { socket } = this;
    if (body === null || isAscii) {
      socket.write(body === null ? head : head + body, 'latin1');
      return;
    }
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body, 'utf8');
    socket.uncork();
  }

  private read(bytes: Buffer): void {
    const { reader } = this;
    // Nobody has asked: what comes now must not be taken for the answer to the next request.
    if (reader === null) return this.destroy(new errors.SocketError('bad response'));
    if (this.caller === null) return;
    try {
      const behind = reader.push(bytes);
      if (reader.isOver) this.finish(reader, behind);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  private finish({ head }: ResponseReader, behind: number): void {
    const { caller, socket } = this;
    this.caller = this.reader = null;
    const keepMs = head === null ? 0 : keptFor(head.keepAliveMs);
    const isFree = behind === 0 && this.keepsAlive && head?.keepsAlive === true && keepMs > 0 && !socket.destroyed;
    if (isFree) this.freeUntil = performance.now() + keepMs;
    else socket.destroy();
    caller?.onEnd();
    if (isFree) this.owner.onFree(this);
  }

  private onSocketEnd(): void {
    if (this.reader?.end()) this.finish(this.reader, 0);
    else this.destroy(new errors.SocketError('other side closed'));
  }

  private onSocketClose(): void {
    // Some servers end what has no other end by a reset.
    if (isReset(this.error) && this.reader?.end()) this.finish(this.reader, 0);
    this.tell(this.error ?? new errors.SocketError('closed'));
    this.owner.onClosed(this);
  }

  private tell(error: Error): void {
    const { caller } = this;
    this.caller = this.reader = null;
    caller?.fail(error);
  }
}

const isReset = (error: NodeJS.ErrnoException | null): boolean => error?.code === 'ECONNRESET';

function keptFor(saidMs: number | null): number {
  return saidMs === null ? KEEP_MS.usual : Math.min(saidMs - MARGIN_MS, KEEP_MS.most);
}
