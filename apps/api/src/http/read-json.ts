import { isUtf8 } from 'node:buffer';
import { inexactNumber } from '#domain';

/** 2⁵³ has sixteen digits; the largest number is about 1.8e308. */
const MAY_BE_INEXACT = /\d{16}|[eE]\+?\d{3}/;
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Longer whole numbers are not looked at. */
const MOST_DIGITS = 40;
const BYTE_ORDER_MARK = /^\ufeff/;

/** The body cannot be read at all: 400. */
class Unreadable extends Error {
  readonly statusCode = 400;
  readonly code = 'BODY_NOT_UTF8';
}

/**
 * What a JSON text says. Numbers that JavaScript would change without a word (an id of nineteen digits) are marked, so that whoever
 * checks the request refuses them where they stand. Throws what has a `statusCode`.
 */
export function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Unreadable('the body is not valid UTF-8');
  const text = bytes.toString('utf8').replace(BYTE_ORDER_MARK, '');
  try {
    const value = JSON.parse(text) as unknown;
    // Only what is known to be JSON: in it every text ends, so that no place is looked at twice.
    return MAY_BE_INEXACT.test(text) ? (JSON.parse(withInexactMarked(text)) as unknown) : value;
  } catch (error) {
    throw Object.assign(error as Error, { statusCode: 400 });
  }
}

function withInexactMarked(json: string): string {
  return json.replace(TEXT_OR_NUMBER, (found) =>
    found.startsWith('"') || isExact(found) ? found : JSON.stringify(inexactNumber(found)),
  );
}

/** As far as people mean it: that 0.1 has no exact double surprises nobody, nor what is written again as it came. */
function isExact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (!/^-?\d+$/.test(literal) || Number.isSafeInteger(value) || String(value) === literal) return true;
  return literal.length <= MOST_DIGITS && BigInt(literal) === BigInt(value);
}

/** JSON is UTF-8; and nothing is decompressed, so that there is nothing to be bombed with. */
export function isPlainUtf8(headers: { 'content-type'?: string; 'content-encoding'?: string }): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  const encoding = headers['content-encoding'] ?? 'identity';
  return /^(utf-?8|us-ascii)$/i.test(charset) && /^(identity)?$/i.test(encoding.trim());
}
