import { invalidResponse } from './invalid-response.js';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const SEMICOLON = 59;
/** As many as the largest size there may be has, and then some zeros. */
const MOST_DIGITS = 32;
/** What is said about one chunk, about all of them together, and behind them: it is no body, so nothing else would bound it. */
const LONGEST_LINE = 4 * 1024;
const MOST_EXTENSION_BYTES = 16 * 1024;
const MOST_TRAILER_BYTES = 16 * 1024;

/** Takes the chunks of a body apart, however they are cut. What is said about them, and behind them, is passed over. */
export class ChunkedBody {
  isOver = false;
  private state:
    'size' | 'space' | 'extension' | 'size-lf' | 'data' | 'data-cr' | 'data-lf' | 'trailer' | 'trailer-lf' = 'size';
  private size = 0;
  private lineBytes = 0;
  private hasColon = false;
  private extensionBytes = 0;
  private trailerBytes = 0;

  /** Hands on what is body; returns where what came behind the last chunk begins. */
  push(bytes: Buffer, from: number, onData: (data: Buffer) => void): number {
    let at = from;
    while (at < bytes.length && !this.isOver) {
      if (this.state === 'data') {
        const end = Math.min(bytes.length, at + this.size);
        onData(bytes.subarray(at, end));
        this.size -= end - at;
        at = end;
        if (this.size === 0) this.state = 'data-cr';
      } else this.step(bytes[at++]);
    }
    return at;
  }

  /** Everything but the data itself. */
  private step(byte: number): void {
    switch (this.state) {
      case 'data':
        return;
      case 'size':
        return this.readSize(byte);
      case 'space':
      case 'extension':
        return this.passExtension(byte);
      case 'size-lf':
        expect(byte, LF);
        this.lineBytes = 0;
        this.state = this.size === 0 ? 'trailer' : 'data';
        return;
      case 'data-cr':
        expect(byte, CR);
        this.state = 'data-lf';
        return;
      case 'data-lf':
        expect(byte, LF);
        this.state = 'size';
        return;
      case 'trailer':
        return this.passTrailer(byte);
      case 'trailer-lf':
        expect(byte, LF);
        return this.endTrailer();
    }
  }

  private readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.size = this.size * 16 + digit;
      if (++this.lineBytes > MOST_DIGITS || this.size > Number.MAX_SAFE_INTEGER) throw badSize();
    } else if (this.lineBytes === 0) throw badSize();
    else this.behindSize(byte);
  }

  /** Space, then an extension or the end of the line. */
  private behindSize(byte: number): void {
    if (byte === CR) this.state = 'size-lf';
    else if (byte === SEMICOLON) this.state = 'extension';
    else if (byte === SPACE || byte === TAB) this.state = 'space';
    else throw badSize();
  }

  private passExtension(byte: number): void {
    if (++this.lineBytes > LONGEST_LINE || ++this.extensionBytes > MOST_EXTENSION_BYTES) throw badSize();
    if (this.state === 'space') return this.behindSize(byte);
    if (byte === CR) this.state = 'size-lf';
    else if (isControl(byte)) throw badSize();
  }

  private passTrailer(byte: number): void {
    if (++this.trailerBytes > MOST_TRAILER_BYTES) throw badTrailer();
    if (byte === CR) {
      this.state = 'trailer-lf';
      return;
    }
    if (isControl(byte)) throw badTrailer();
    this.hasColon ||= byte === COLON;
    this.lineBytes++;
  }

  private endTrailer(): void {
    if (this.lineBytes > 0 && !this.hasColon) throw badTrailer();
    this.isOver = this.lineBytes === 0;
    this.lineBytes = 0;
    this.hasColon = false;
    this.state = 'trailer';
  }
}

const badSize = (): Error => invalidResponse('a chunk without a proper size', 'INVALID_CHUNK_SIZE');
const badTrailer = (): Error => invalidResponse('trailers that are none', 'INVALID_HEADER_TOKEN');

function expect(byte: number, wanted: number): void {
  if (byte !== wanted) throw badSize();
}

const isControl = (byte: number): boolean => (byte < SPACE && byte !== TAB) || byte === 127;

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
