import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CallbackToken } from '#database';
import { canonicalText, type CallbackSaid } from '#domain';

const BYTES = 32;
/** 256 bits in base64url, without padding. */
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

export const newToken = (): string => randomBytes(BYTES).toString('base64url');

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** By what a repetition of a callback is known. */
export const outcomeHash = (said: CallbackSaid): string => hashOf(canonicalText(said));

/** The attempt that the token belongs to. Every hash is compared, each in constant time. */
export function ownerOf(tokens: readonly CallbackToken[], token: string): CallbackToken | null {
  if (!SHAPE.test(token)) return null;
  const given = Buffer.from(hashOf(token));
  let owner: CallbackToken | null = null;
  for (const one of tokens) if (timingSafeEqual(Buffer.from(one.tokenHash), given)) owner = one;
  return owner;
}
