import { isUtf8 } from 'node:buffer';

const TEXT_TYPE =
  /^(text\/|application\/(.+\+)?(json|xml|yaml)\b|application\/(x-)?(javascript|ecmascript|x-www-form-urlencoded|x-ndjson|ndjson|graphql|yaml|toml|sql)\b)/i;
const UTF8_CHARSET = /^(utf-?8|us-ascii|ascii)$/i;

export interface KeptBody {
  body: string;
  bodyEncoding: 'text' | 'base64';
}

/** Keeps the first bytes of a response in one buffer of bounded size, however it drips in, and counts the rest. */
export class ResponseBody {
  bytes = 0;
  private kept: Buffer | null = null;
  private keptBytes = 0;
  private owned = false;

  constructor(private readonly keepLimit: number) {}

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.kept === null) this.keepFirst(chunk);
    else if (this.keptBytes < this.keepLimit) this.append(chunk);
  }

  get truncated(): boolean {
    return this.bytes > this.keptBytes;
  }

  /** Text if its type says so, or says nothing, and it is UTF-8 that a database can hold; base64 otherwise. */
  finish(contentType: string | undefined, contentEncoding: string | undefined): KeptBody {
    const bytes = this.kept?.subarray(0, this.keptBytes);
    if (bytes === undefined || bytes.length === 0) return { body: '', bodyEncoding: 'text' };
    if (isTextType(contentType) && isPlain(contentEncoding)) {
      const whole = this.truncated ? withoutPartialCharacter(bytes) : bytes;
      // PostgreSQL has no text with NUL in it
      if (isUtf8(whole) && !whole.includes(0)) return { body: whole.toString('utf8'), bodyEncoding: 'text' };
    }
    return { body: bytes.toString('base64'), bodyEncoding: 'base64' };
  }

  /** Most responses are one chunk: it is used where it lies, and copied only if more arrives. */
  private keepFirst(chunk: Buffer): void {
    this.kept = chunk;
    this.keptBytes = Math.min(chunk.length, this.keepLimit);
  }

  private append(chunk: Buffer): void {
    const room = this.spaceFor(chunk.length);
    this.keptBytes += chunk.copy(room, this.keptBytes, 0, this.keepLimit - this.keptBytes);
  }

  private spaceFor(more: number): Buffer {
    const needed = Math.min(this.keptBytes + more, this.keepLimit);
    if (this.kept !== null && this.owned && this.kept.length >= needed) return this.kept;
    const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(needed * 2, 1024), this.keepLimit));
    this.kept?.copy(grown, 0, 0, this.keptBytes);
    this.owned = true;
    return (this.kept = grown);
  }
}

function isTextType(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1];
  return TEXT_TYPE.test(contentType) && (charset === undefined || UTF8_CHARSET.test(charset));
}

const isPlain = (encoding: string | undefined): boolean =>
  encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity';

/** A cut may have gone through the last character: drop its beginning. */
function withoutPartialCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (byte < 0x80) break;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
