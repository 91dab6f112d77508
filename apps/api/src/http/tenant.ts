import type { FastifyRequest } from 'fastify';

/** Whose tasks a request is about. There is one tenant until there are credentials. */
export function tenantOf(_request: FastifyRequest): string {
  return 'default';
}
