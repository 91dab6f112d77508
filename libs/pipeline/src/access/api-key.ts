import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const PREFIX_LENGTH = 12;
const SHAPE = /^pk_([a-z0-9]{12})_[A-Za-z0-9_-]{43}$/;

export interface MadeKey {
  /** Shown once, and kept nowhere. */
  text: string;
  prefix: string;
  hash: string;
}

/** `pk_<prefix>_<256 bits>`. */
export function newApiKey(): MadeKey {
  const prefix = Array.from({ length: PREFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const text = `pk_${prefix}_${randomBytes(32).toString('base64url')}`;
  return { text, prefix, hash: keyHash(text) };
}

/** By what a key is found; null when the text is no key at all. */
export const prefixOf = (text: string): string | null => SHAPE.exec(text)?.[1] ?? null;

const keyHash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** In constant time. */
export const isKeyOf = (text: string, hash: string): boolean => sameText(keyHash(text), hash);

/** Whether two texts are the same, without telling by the time it takes how far they are. */
export function sameText(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(left, right);
}
