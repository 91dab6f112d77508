import type { FastifyRequest } from 'fastify';
import { EVERY_TENANT, type Role } from '#domain';

/** Who asks, and whose things they ask about. The doorkeeper puts it on the request. */
export interface Access {
  tenantId: string;
  role: Role;
  /** The key that was shown, and its name; null where nobody is asked for one. */
  keyId: bigint | null;
  by: string | null;
  /** Whether it is for the whole deployment, and not for one tenant. */
  isRoot: boolean;
  address: string;
  /** Throws Unauthenticated once the key is no longer good: for requests that take long. */
  check(): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    access: Access;
  }
}

/** Who is written down as having done something: the key's name, else what the request says. */
export const decidedBy = ({ access }: FastifyRequest, said: string | null | undefined): string | undefined =>
  access.by ?? said ?? undefined;

/** The tenant to look in; undefined: in all of them. */
export const tenantScope = ({ access }: FastifyRequest): string | undefined =>
  access.tenantId === EVERY_TENANT ? undefined : access.tenantId;
