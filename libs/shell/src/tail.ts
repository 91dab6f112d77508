import type { OutputTail } from '#domain';

/** How much of a command's output is kept: its end, where it says how it went. */
const KEPT = 16_384;

/** Reads any amount of output, and remembers the end of it. */
export class Tail {
  private bytes = 0;
  private kept: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.kept = Buffer.concat([this.kept, chunk.subarray(-KEPT)]).subarray(-KEPT);
  }

  get value(): OutputTail {
    return { text: new TextDecoder().decode(this.kept.subarray(this.firstWhole)), bytes: this.bytes };
  }

  /** Where the first character begins that was not cut in half. */
  private get firstWhole(): number {
    if (this.bytes === this.kept.length) return 0;
    const at = this.kept.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return at < 0 || at > 3 ? 0 : at;
  }
}
