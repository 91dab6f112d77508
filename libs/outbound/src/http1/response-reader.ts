import { errors } from 'undici';
import { ChunkedBody } from './chunked-body.js';
import { invalidResponse } from './invalid-response.js';
import type { HeadMemory, ResponseHead, ResponseHeaders } from './response-head.js';

export interface ResponseListener {
  onHead(status: number, headers: ResponseHeaders): void;
  onData(chunk: Buffer): void;
}

/** A head in full, with its line ends; of its headers less is allowed. */
const MOST_HEAD_BYTES = 32 * 1024;
/** `100 Continue` and its like before the response. */
const MOST_INTERIM = 20;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const BEGINNING = Buffer.from('HTTP/1.');
const CR = 13;
const SWITCHING_PROTOCOLS = 101;

/**
 * Reads one response from the bytes of its connection, however they are cut, and tells of it as it comes. Throws what is wrong with it;
 * then nothing more may be read.
 */
export class ResponseReader {
  isOver = false;
  /** Until it has come in full, the response's head is not there. */
  head: ResponseHead | null = null;
  private left = 0;
  private chunks: ChunkedBody | null = null;
  private interim = 0;
  private early: Buffer | null = null;
  private earlyBytes = 0;

  constructor(
    private readonly hasNoBody: boolean,
    private readonly listener: ResponseListener,
    private readonly heads: Pick<HeadMemory, 'read'>,
  ) {}

  /** Says how many of the bytes lie behind the response: there should be none. */
  push(bytes: Buffer): number {
    let at = 0;
    while (this.head === null) {
      const all: Buffer = this.early === null ? bytes.subarray(at) : this.withEarly(bytes.subarray(at));
      const end = all.indexOf(END_OF_HEAD);
      if (end < 0) {
        this.keepEarly(all);
        return 0;
      }
      at = bytes.length - (all.length - end - END_OF_HEAD.length);
      this.early = null;
      this.readHead(all.toString('latin1', 0, end));
    }
    if (!this.isOver && at < bytes.length) at = this.readBody(bytes, at);
    return bytes.length - at;
  }

  /** The connection has ended: so does a response that has no other end. Any other is cut off. */
  end(): boolean {
    if (this.head?.framing.kind === 'close') this.isOver = true;
    return this.isOver;
  }

  private readHead(text: string): void {
    if (text.length > MOST_HEAD_BYTES) throw new errors.HeadersOverflowError();
    const head = this.heads.read(text);
    if (head.status === SWITCHING_PROTOCOLS) throw new errors.SocketError('bad upgrade');
    if (head.status < 200) {
      if (++this.interim > MOST_INTERIM) throw invalidResponse('too many interim responses', 'INVALID_STATUS');
      return;
    }
    this.head = head;
    this.begin(head);
    this.listener.onHead(head.status, head.headers);
  }

  private begin({ status, framing }: ResponseHead): void {
    if (this.hasNoBody || status === 204 || status === 304) this.isOver = true;
    else if (framing.kind === 'chunked') this.chunks = new ChunkedBody();
    else if (framing.kind === 'length') {
      this.left = framing.bytes;
      this.isOver = this.left === 0;
    }
  }

  private readBody(bytes: Buffer, at: number): number {
    if (this.chunks !== null) {
      const end = this.chunks.push(bytes, at, this.onData);
      this.isOver = this.chunks.isOver;
      return end;
    }
    if (this.head?.framing.kind === 'close') return this.pass(bytes, at, bytes.length);
    const end = this.pass(bytes, at, Math.min(bytes.length, at + this.left));
    this.left -= end - at;
    this.isOver = this.left === 0;
    return end;
  }

  private readonly onData = (data: Buffer): void => this.listener.onData(data);

  private pass(bytes: Buffer, from: number, end: number): number {
    this.listener.onData(bytes.subarray(from, end));
    return end;
  }

  /** A head that comes in pieces is put together in one place, so that a target that drips costs no more than another. */
  private withEarly(more: Buffer): Buffer {
    const room = this.early as Buffer;
    const taken = more.copy(room, this.earlyBytes);
    if (taken < more.length) return Buffer.concat([room.subarray(0, this.earlyBytes), more]);
    this.earlyBytes += taken;
    return room.subarray(0, this.earlyBytes);
  }

  private keepEarly(all: Buffer): void {
    if (all.length > MOST_HEAD_BYTES) throw new errors.HeadersOverflowError();
    const start = all.subarray(0, BEGINNING.length);
    if (!start.equals(BEGINNING.subarray(0, start.length))) throw invalidResponse('not HTTP/1', 'INVALID_CONSTANT');
    const lineEnd = all.indexOf('\n');
    if (lineEnd > 0 && all[lineEnd - 1] !== CR) throw invalidResponse('a line without CR', 'CR_EXPECTED');
    if (this.early !== null) return;
    this.early = Buffer.allocUnsafe(MOST_HEAD_BYTES);
    this.earlyBytes = all.copy(this.early);
  }
}
