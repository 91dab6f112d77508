import { findKeyByPrefix, type Clock, type Database, type KnownKey } from '#database';
import { keyState, Unauthenticated } from '#domain';
import { isKeyOf, prefixOf } from '#pipeline';

/** How long a key is taken for what it was: a key that is revoked is refused everywhere within this time. */
const LIFE_MS = 500;
/** Prefixes that somebody makes up must not fill the memory. */
const MOST_KNOWN = 10_000;

interface Looked {
  key: Promise<KnownKey | null>;
  until: number;
}

/** Knows whether a key is good. Asks the database at most every half second for each, however many requests show it. */
export class KeyRing {
  private readonly looked = new Map<string, Looked>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The key that the text is. Throws Unauthenticated. */
  async verify(text: string): Promise<KnownKey> {
    const prefix = prefixOf(text);
    if (prefix === null) throw new Unauthenticated('this is no API key: one looks like pk_…_…', true);
    const key = await this.find(prefix);
    if (key === null || !isKeyOf(text, key.hash)) throw new Unauthenticated('there is no such API key', true);
    const state = keyState(key, this.clock.now());
    if (state !== 'active') throw new Unauthenticated(`the API key ${prefix} is ${state}: ask for another one`, true);
    return key;
  }

  /** What has just been changed here is true here at once. */
  forget(prefix: string): void {
    this.looked.delete(prefix);
  }

  private find(prefix: string): Promise<KnownKey | null> {
    const known = this.looked.get(prefix);
    if (known !== undefined && known.until > performance.now()) return known.key;
    if (this.looked.size >= MOST_KNOWN) this.looked.clear();
    // Counted from before the question: what changes while it is answered is not missed for longer.
    const looked = { key: findKeyByPrefix(this.database, prefix), until: performance.now() + LIFE_MS };
    this.looked.set(prefix, looked);
    looked.key.catch(() => this.looked.delete(prefix));
    return looked.key;
  }
}
