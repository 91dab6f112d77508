import { createHash } from 'node:crypto';
import pg from 'pg';
import type { QueueBackend } from './backend.js';
import { parseSignal, type Signal } from './catalogue.js';
import { channelOf, partsOf, type SignalHandler, type Signals } from './signals.js';

const CONNECT_AGAIN_MS = 1_000;
const LONGEST_CHANNEL = 63;

/** Signals by PostgreSQL's LISTEN and NOTIFY. Listening takes a connection of its own, which is made again when it breaks. */
export class PostgresSignals implements Signals {
  private readonly channel: string;
  private readonly handlers: SignalHandler[] = [];
  private client: pg.Client | undefined;
  private again: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly pool: pg.Pool,
    private readonly connection: pg.ClientConfig,
    private readonly backend: Pick<QueueBackend, 'ask' | 'prefix'>,
  ) {
    this.channel = notifyChannel(backend.prefix);
  }

  send(signal: Signal): void {
    const parts = partsOf(signal);
    if (parts.length === 0) return;
    const sql = 'SELECT pg_notify($1, part) FROM unnest($2::text[]) AS part';
    this.backend.ask(() => this.pool.query(sql, [this.channel, parts])).catch(() => undefined);
  }

  listen(handler: SignalHandler): void {
    this.handlers.push(handler);
    if (this.handlers.length === 1) this.connect();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.again);
    await this.client?.end().catch(() => undefined);
  }

  private connect(): void {
    const client = (this.client = new pg.Client(this.connection));
    // The driver says `end` after whatever an established connection dies of, but not when there never was one.
    client.on('error', () => undefined);
    client.once('end', () => this.connectLater(client));
    client.on('notification', ({ payload }) => this.hear(payload ?? ''));
    client
      .connect()
      .then(() => client.query(`LISTEN ${pg.escapeIdentifier(this.channel)}`))
      .catch(() => {
        this.connectLater(client);
        client.end().catch(() => undefined);
      });
  }

  private connectLater(broken: pg.Client): void {
    if (this.closed || this.client !== broken) return;
    this.client = undefined;
    this.again = setTimeout(() => this.connect(), CONNECT_AGAIN_MS);
  }

  private hear(text: string): void {
    const signal = parseSignal(text);
    if (signal) for (const handler of this.handlers) handler(signal);
  }
}

/** PostgreSQL cuts longer names off when it listens and refuses them when it notifies. */
export function notifyChannel(prefix: string): string {
  const channel = channelOf(prefix);
  if (Buffer.byteLength(channel) <= LONGEST_CHANNEL) return channel;
  return channelOf(createHash('sha1').update(prefix).digest('hex'));
}
