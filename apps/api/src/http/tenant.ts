import type { FastifyRequest } from 'fastify';
import '../access/access.js';

/** Whose tasks a request is about. */
export function tenantOf({ access }: FastifyRequest): string {
  return access.tenantId;
}
