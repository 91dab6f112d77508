import type { Logger } from '#config';
import { type Clock, type Database, noteKeyUses, USES_KEPT_MS } from '#database';

/** How long uses are gathered. */
const GATHER_MS = 1_000;

/** Keeps when keys were last used: once a minute for each, for all of them in one statement, and never in a request's way. */
export class KeyUses {
  private readonly noted = new Map<bigint, number>();
  private readonly waiting = new Set<bigint>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  used(keyId: bigint): void {
    const now = performance.now();
    if (now - (this.noted.get(keyId) ?? -Infinity) < USES_KEPT_MS) return;
    this.noted.set(keyId, now);
    this.waiting.add(keyId);
    this.timer ??= setTimeout(() => void this.write(), GATHER_MS).unref();
  }

  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const ids = [...this.waiting];
    this.waiting.clear();
    await noteKeyUses(this.database, ids, this.clock.now()).catch((error: unknown) => {
      this.log.debug({ err: error }, 'the last use of keys was not kept');
      for (const id of ids) this.noted.delete(id);
    });
  }
}
