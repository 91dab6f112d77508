/** Reads what a client says to its database: enough of both protocols to know which statement is on its way. */
export interface StatementReader {
  /** The texts of the statements that are complete with these bytes. */
  feed(bytes: Buffer): string[];
}

export const readerFor = (databaseUrl: string): StatementReader =>
  databaseUrl.startsWith('postgres') ? new PostgresReader() : new MySqlReader();

/** What has come of a message that is not complete yet. */
class Rest {
  private bytes: Buffer = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.bytes = this.bytes.length === 0 ? bytes : Buffer.concat([this.bytes, bytes]);
  }

  /** The first `length` bytes, if they are there. */
  take(length: number): Buffer | undefined {
    if (this.bytes.length < length) return undefined;
    const taken = this.bytes.subarray(0, length);
    this.bytes = this.bytes.subarray(length);
    return taken;
  }

  peek(length: number): Buffer | undefined {
    return this.bytes.length < length ? undefined : this.bytes.subarray(0, length);
  }
}

/**
 * PostgreSQL, version 3: a type byte, a length that counts itself, the content. Only the first message has no type. A statement
 * comes as a Query, or is parsed once under a name and bound to values from then on.
 */
export class PostgresReader implements StatementReader {
  private readonly rest = new Rest();
  private readonly named = new Map<string, string>();
  private hasBegun = false;

  feed(bytes: Buffer): string[] {
    this.rest.add(bytes);
    const statements: string[] = [];
    for (let message = this.next(); message; message = this.next()) {
      const text = this.textOf(message);
      if (text !== undefined) statements.push(text);
    }
    return statements;
  }

  private next(): Buffer | undefined {
    const typeLength = this.hasBegun ? 1 : 0;
    const head = this.rest.peek(typeLength + 4);
    const message = head && this.rest.take(typeLength + head.readInt32BE(typeLength));
    if (message && !this.hasBegun) {
      this.hasBegun = true;
      return this.next();
    }
    return message;
  }

  private textOf(message: Buffer): string | undefined {
    const content = message.subarray(5);
    switch (String.fromCharCode(message[0])) {
      case 'Q':
        return textAt(content, 0).text;
      case 'P': {
        const name = textAt(content, 0);
        this.named.set(name.text, textAt(content, name.end).text);
        return undefined;
      }
      case 'B':
        return this.named.get(textAt(content, textAt(content, 0).end).text);
      default:
        return undefined;
    }
  }
}

function textAt(bytes: Buffer, from: number): { text: string; end: number } {
  const zero = bytes.indexOf(0, from);
  return { text: bytes.toString('utf8', from, zero), end: zero + 1 };
}

/** Those that carry a statement's text. */
const [COM_QUERY, COM_STMT_PREPARE] = [0x03, 0x16];

/** MySQL: three bytes of length, a number that begins at 0 with every command, the command. */
export class MySqlReader implements StatementReader {
  private readonly rest = new Rest();

  feed(bytes: Buffer): string[] {
    this.rest.add(bytes);
    const statements: string[] = [];
    for (;;) {
      const head = this.rest.peek(4);
      const packet = head && this.rest.take(4 + head.readUIntLE(0, 3));
      if (!packet) return statements;
      const hasText = packet[4] === COM_QUERY || packet[4] === COM_STMT_PREPARE;
      if (packet[3] === 0 && hasText) statements.push(packet.toString('utf8', 5));
    }
  }
}
