import type { Redis } from 'ioredis';
import type { QueueBackend } from './backend.js';
import { parseSignal, type Signal } from './catalogue.js';
import { channelOf, partsOf, type SignalHandler, type Signals } from './signals.js';

/** Signals by Redis' publish and subscribe. Listening takes a connection of its own, which subscribes again by itself. */
export class RedisSignals implements Signals {
  private subscriber: Redis | undefined;
  private readonly channel: string;

  constructor(
    private readonly connection: Redis,
    private readonly backend: Pick<QueueBackend, 'ask' | 'prefix'>,
  ) {
    this.channel = channelOf(backend.prefix);
  }

  send(signal: Signal): void {
    for (const part of partsOf(signal)) {
      this.backend.ask(() => this.connection.publish(this.channel, part)).catch(() => undefined);
    }
  }

  listen(handler: SignalHandler): void {
    this.subscriber ??= this.subscribe();
    this.subscriber.on('message', (_channel, text) => {
      const signal = parseSignal(text);
      if (signal) handler(signal);
    });
  }

  close(): Promise<void> {
    this.subscriber?.disconnect();
    return Promise.resolve();
  }

  private subscribe(): Redis {
    const subscriber = this.connection.duplicate();
    // The backend's own connection says when Redis is away.
    subscriber.on('error', () => undefined);
    subscriber.subscribe(this.channel).catch(() => undefined);
    return subscriber;
  }
}
