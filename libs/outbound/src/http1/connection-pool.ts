import type { Socket } from 'node:net';
import { errors } from 'undici';
import { type Caller, Connection, type ConnectionOwner, type WireRequest } from './connection.js';
import type { IdleConnections } from './idle-connections.js';
import { HeadMemory } from './response-head.js';

/** Opens a connection; breaking it off is nobody's business, it ends by its own deadline. */
export type Dial = (done: (error: Error | null, socket: Socket | null) => void) => void;

interface Waiting {
  request: WireRequest;
  caller: Caller;
  /** A connection is being opened for it; which it gets may be another one. */
  hasDial: boolean;
}

const SWEEP_MS = 1_000;
/** A turn of the event loop that takes longer is not what a process does all the time; if it is, calls go out all the same. */
const LONG_TURN_MS = 10;
const MOST_MORE_LOOKS = 3;
/** So many may wait before those that are over are looked for. */
const FEW = 64;

/**
 * The connections to one origin. Requests wait for one, first in first out; as many connections are opened as there are requests for which
 * none is about to be free, up to the limit.
 */
export class ConnectionPool implements ConnectionOwner {
  readonly heads = new HeadMemory();
  private readonly open = new Set<Connection>();
  /** The last one that came free is used first, so that those that are not needed grow old. */
  private readonly free: Connection[] = [];
  /** To be used when all sockets have been looked at: those that came free since the last turn, and those that wait for the look. */
  private resting: Connection[] = [];
  private looking: Connection[] = [];
  private lookedAt = 0;
  private moreLooks = 0;
  private waiting: Waiting[] = [];
  private readonly dials = new Set<Waiting>();
  private lookAt = FEW;
  private sweeping: NodeJS.Timeout | undefined;
  private closed: Error | null = null;

  constructor(
    private readonly dial: Dial,
    private readonly most: number,
    private readonly idle: IdleConnections,
    /** It has neither connections nor requests, and may be forgotten. */
    private readonly onEmpty: () => void,
  ) {}

  send(request: WireRequest, caller: Caller): void {
    if (this.closed !== null) return caller.fail(this.closed);
    if (this.waiting.push({ request, caller, hasDial: false }) >= this.lookAt) this.forgetThoseOver();
    const connection = this.takeFree();
    if (connection === null) this.dialAsNeeded();
    else this.onFree(connection);
  }

  close(error: Error): void {
    this.closed = error;
    clearTimeout(this.sweeping);
    for (const { caller } of this.waiting.splice(0)) caller.fail(error);
    for (const connection of this.open) connection.destroy(error);
  }

  /**
   * It is used after whatever its server has sent meanwhile, or that it has closed it: what nobody had asked for must not be taken for the
   * answer to the next request. That takes two turns: what is put off to the end of this one, while sockets are being read, comes before
   * they are looked at again.
   */
  onFree(connection: Connection): void {
    if (this.resting.push(connection) === 1) setImmediate(this.lookFirst);
  }

  onClosed(connection: Connection): void {
    this.open.delete(connection);
    const at = this.free.indexOf(connection);
    if (at >= 0) this.free.splice(at, 1);
    this.idle.remove(connection);
    this.dialAsNeeded();
    this.tellIfEmpty();
  }

  private readonly lookFirst = (): void => {
    this.lookedAt = performance.now();
    this.looking.push(...this.resting);
    this.resting = [];
    setImmediate(this.useRested);
  };

  private readonly useRested = (): void => {
    const now = performance.now();
    // Sockets are looked at first in a turn; if it has taken long since, much may have come meanwhile.
    if (now - this.lookedAt > LONG_TURN_MS && this.moreLooks < MOST_MORE_LOOKS) {
      this.moreLooks++;
      this.lookedAt = now;
      setImmediate(this.useRested);
      return;
    }
    this.moreLooks = 0;
    const rested = this.looking;
    this.looking = [];
    for (const connection of rested) this.use(connection);
    this.sweepLater();
    // Some may have been closed meanwhile.
    this.dialAsNeeded();
  };

  private use(connection: Connection): void {
    if (!connection.isClean) return connection.destroy(new errors.InformationalError('not to be used again'));
    const next = this.nextWaiting();
    if (next !== undefined) return connection.send(next.request, next.caller);
    connection.rest();
    this.free.push(connection);
    this.idle.add(connection);
  }

  private nextWaiting(): Waiting | undefined {
    let next = this.waiting.shift();
    while (next?.caller.isOver) next = this.waiting.shift();
    return next;
  }

  private forgetThoseOver(): void {
    this.waiting = this.waiting.filter(({ caller }) => !caller.isOver);
    this.lookAt = Math.max(FEW, this.waiting.length * 2);
  }

  private takeFree(): Connection | null {
    if (this.free.length === 0) return null;
    const now = performance.now();
    for (let one = this.free.pop(); one !== undefined; one = this.free.pop()) {
      this.idle.remove(one);
      if (one.isClean && one.freeUntil > now) return one;
      one.destroy(new errors.InformationalError('idle for too long'));
    }
    return null;
  }

  private dialAsNeeded(): void {
    if (this.closed !== null || !this.needsMore) return;
    this.forgetThoseOver();
    while (this.needsMore) {
      const first = this.waiting.find(({ hasDial }) => !hasDial);
      if (first === undefined) return;
      this.dialFor(first);
    }
  }

  private get needsMore(): boolean {
    let coming = this.resting.length + this.looking.length;
    if (this.waiting.length <= coming || this.open.size + this.dials.size >= this.most) return false;
    // One that hangs for somebody who has given up is nothing to wait for.
    for (const { caller } of this.dials) if (!caller.isOver) coming++;
    return this.waiting.length > coming;
  }

  private dialFor(one: Waiting): void {
    one.hasDial = true;
    this.dials.add(one);
    try {
      this.dial((error, socket) => this.onDialled(one, error, socket));
    } catch (error) {
      process.nextTick(() => this.onDialled(one, error as Error, null));
    }
  }

  private onDialled(one: Waiting, error: Error | null, socket: Socket | null): void {
    this.dials.delete(one);
    one.hasDial = false;
    if (socket !== null && this.closed === null) this.add(socket);
    else if (socket !== null) socket.destroy();
    else this.failed(one, error);
    this.dialAsNeeded();
    this.tellIfEmpty();
  }

  /** It has what it waited for if another connection came free meanwhile. */
  private failed(one: Waiting, error: Error | null): void {
    const at = this.waiting.indexOf(one);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    one.caller.fail(error);
  }

  private add(socket: Socket): void {
    const connection = new Connection(socket, this);
    this.open.add(connection);
    this.use(connection);
    this.sweepLater();
  }

  /** Connections that nobody needs are let go of before their server does. */
  private sweepLater(): void {
    if (this.free.length === 0 || this.closed !== null) return;
    this.sweeping ??= setTimeout(() => {
      this.sweeping = undefined;
      const now = performance.now();
      for (const one of this.free.filter(({ freeUntil }) => freeUntil <= now)) {
        one.destroy(new errors.InformationalError('idle for too long'));
      }
      this.sweepLater();
    }, SWEEP_MS).unref();
  }

  private tellIfEmpty(): void {
    if (this.open.size + this.dials.size + this.waiting.length === 0) this.onEmpty();
  }
}
