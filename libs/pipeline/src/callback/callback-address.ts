import { setTimeout as pause } from 'node:timers/promises';
import { type Config, publicUrlOf } from '#config';
import { type Database, keepPublicUrl, readPublicUrl } from '#database';
import type { Logger } from 'pino';

const TRY_AGAIN_MS = 500;
/** An API that comes back under another address is believed this much later at the most. */
const FRESH_MS = 5_000;

type Settings = Pick<Config, 'publicUrl' | 'host' | 'port'>;

/**
 * What callback addresses begin with, for a worker: what its own PUBLIC_URL says, or else what the API has said, which the database keeps.
 * So a worker that is given database and queue alone calls ASYNC targets as well.
 */
export class CallbackAddress {
  private known: string | null = null;
  private readAt = -Infinity;
  private reading: Promise<string> | undefined;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
    private readonly log: Logger,
  ) {}

  base(): Promise<string> {
    if (this.settings.publicUrl !== null) return Promise.resolve(publicUrlOf(this.settings));
    if (this.known !== null && performance.now() - this.readAt < FRESH_MS) return Promise.resolve(this.known);
    return (this.reading ??= this.read().finally(() => (this.reading = undefined)));
  }

  /** A database that is away for a moment changes no address; without any, nobody can be called yet. */
  private async read(): Promise<string> {
    for (;;) {
      try {
        // Where no API of this version has been yet, everything is on one machine, or nothing is right.
        this.known = (await readPublicUrl(this.database)) ?? publicUrlOf(this.settings);
        this.readAt = performance.now();
        return this.known;
      } catch (error) {
        if (this.known !== null) return this.known;
        this.log.warn({ err: error }, 'the address for callbacks cannot be read yet, trying again');
        await pause(TRY_AGAIN_MS);
      }
    }
  }
}

/** Says where the API is reached, before it is: by then every worker can know. `port` is the one it really listens on. */
export async function tellAddress(
  { database, config, log }: { database: Database; config: Settings; log: Logger },
  port: number,
  signal?: AbortSignal,
): Promise<void> {
  const address = publicUrlOf({ ...config, port });
  for (;;) {
    try {
      return await keepPublicUrl(database, address, config.publicUrl !== null);
    } catch (error) {
      log.warn({ err: error }, 'the address for callbacks cannot be written yet, trying again');
      await pause(TRY_AGAIN_MS, undefined, { signal });
    }
  }
}
