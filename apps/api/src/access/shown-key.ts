import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../callbacks/bearer-token.js';

/** The key a request shows, by either of the two headers; null when it shows none. */
export function shownKey(request: Pick<FastifyRequest, 'headers'>): string | null {
  const named = request.headers['x-api-key'];
  return typeof named === 'string' && named.trim() !== '' ? named.trim() : bearerToken(request);
}
