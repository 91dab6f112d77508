import { createHash, createHmac } from 'node:crypto';

/** One request, and what is signed of it. */
export interface SignedRequest {
  /** The delivery's, the same at every try. */
  id: string;
  method: string;
  /** As it is sent: escaped, without the query. */
  path: string;
  /** Without the question mark; empty when there is none. */
  query: string;
  body: string;
  /** Whole seconds since 1970. */
  timestamp: number;
  /** New at every try. */
  nonce: string;
}

/** docs/notices.md says this byte by byte; docs/notice-vectors.json has examples. */
export function stringToSign({ method, path, query, body, timestamp, nonce }: SignedRequest): string {
  const hash = createHash('sha256').update(body, 'utf8').digest('hex');
  return ['PUNCTUAL-HMAC-SHA256', method, path, query, hash, String(timestamp), nonce].join('\n');
}

/** The headers that prove who sent a notice. Of several keys, while one replaces another, each signs. */
export function signatureHeaders(
  request: SignedRequest,
  ak: string | null,
  keys: readonly string[],
): Record<string, string> {
  const text = stringToSign(request);
  const own = keys.map((key) => `v1=${createHmac('sha256', key).update(text, 'utf8').digest('hex')}`);
  const standard = keys.map((key) => `v1,${standardSignature(request, key)}`);
  return {
    ...(ak === null ? {} : { 'x-punctual-access-key': ak }),
    'x-punctual-timestamp': String(request.timestamp),
    'x-punctual-nonce': request.nonce,
    'x-punctual-signature': own.join(','),
    'webhook-signature': standard.join(' '),
  };
}

/** As standardwebhooks.com has it. */
function standardSignature({ id, timestamp, body }: SignedRequest, key: string): string {
  return createHmac('sha256', standardKey(key)).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64');
}

const PREFIX = 'whsec_';

/** A key in that standard's own form is base64; any other is taken as the bytes it is written in. */
function standardKey(key: string): Buffer {
  return key.startsWith(PREFIX) ? Buffer.from(key.slice(PREFIX.length), 'base64') : Buffer.from(key, 'utf8');
}
