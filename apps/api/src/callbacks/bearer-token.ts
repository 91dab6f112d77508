import type { FastifyRequest } from 'fastify';

/** What follows `Authorization: Bearer`; null when nothing does. */
export function bearerToken({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
