import { NotFoundException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authModeOf, isLoopback } from '#config';
import type { KnownKey } from '#database';
import {
  addressGroup,
  DEFAULT_TENANT,
  EVERY_TENANT,
  Forbidden,
  hasRole,
  InvalidInput,
  isTenantName,
  type Role,
  TENANT_RULE,
  Unauthenticated,
} from '#domain';
import { type Platform, sameText } from '#pipeline';
import type { Access } from './access.js';
import type { KeyRing } from './key-ring.js';
import type { KeyUses } from './key-uses.js';
import { refuseOtherSites } from './other-sites.js';
import type { RateLimits } from './rate-limits.js';
import { type Right, rightOf, type RoleRight } from './route-rights.js';
import { shownKey } from './shown-key.js';

/** Everybody's rights where nobody is asked for a key. */
const ANYBODY: { role: Role; keyId: null; by: null; isRoot: true; check: () => Promise<void> } = {
  ...{ role: 'ADMIN', keyId: null, by: null, isRoot: true },
  check: () => Promise.resolve(),
};

/** Looks at each request before anything of it is read: who it is, what they may do, and how often. */
export class Doorkeeper {
  private readonly asksForKeys: boolean;

  constructor(
    private readonly platform: Pick<Platform, 'config'>,
    private readonly keys: KeyRing,
    private readonly uses: KeyUses,
    private readonly limits: RateLimits,
  ) {
    this.asksForKeys = authModeOf(platform.config) === 'keys';
  }

  /** Throws Unauthenticated, Forbidden, TooMany; then the request goes no further. */
  async receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const right = rightOf(request.method, request.routeOptions.url);
    if (right?.kind === 'here' && !isLoopback(plainAddress(request))) throw new NotFoundException();
    if (!this.asksForKeys) return void (request.access = this.admitAnybody(request, right));
    if (right?.kind === 'here' || isProbe(request)) return;
    const address = addressGroup(request.ip);
    if (right?.kind === 'token') return this.limits.checkAddress(address, reply);
    await this.limits.countAddress(address, reply);
    if (right?.kind === 'metrics' && this.isMetricsToken(request)) return;
    if (right?.kind === 'metrics' || right?.kind === 'role') request.access = await this.admit(request, reply, right);
  }

  /** A key, or what came with a token, was refused. */
  async failed(request: FastifyRequest): Promise<void> {
    if (!this.asksForKeys) return;
    const wasCounted = rightOf(request.method, request.routeOptions.url)?.kind !== 'token';
    await this.limits.countFailure(addressGroup(request.ip), wasCounted);
  }

  private admitAnybody(request: FastifyRequest, right: Right | undefined): Access {
    // A callback may come by a name that the deployment gave to its targets; its token is proof enough.
    if (right?.kind !== 'open' && right?.kind !== 'token') refuseOtherSites(request.headers);
    const tenantId = tenantFor(request, EVERY_TENANT, right);
    return { ...ANYBODY, tenantId, address: request.ip };
  }

  private async admit(request: FastifyRequest, reply: FastifyReply, right: Right): Promise<Access> {
    const shown = shownKey(request);
    if (shown === null) throw new Unauthenticated(NO_KEY, false);
    const key = await this.keys.verify(shown);
    this.uses.used(key.id);
    await this.limits.countKey(key.id, reply);
    if (right.kind === 'role') mayAct(key, right);
    return {
      tenantId: tenantFor(request, key.tenantId, right),
      role: key.role,
      keyId: key.id,
      by: key.name,
      isRoot: key.tenantId === EVERY_TENANT,
      address: request.ip,
      check: async () => void (await this.keys.verify(shown)),
    };
  }

  private isMetricsToken(request: FastifyRequest): boolean {
    const { metricsToken } = this.platform.config;
    const shown = metricsToken === null ? null : shownKey(request);
    return shown !== null && sameText(shown, metricsToken as string);
  }
}

const NO_KEY =
  'this needs an API key, as "Authorization: Bearer pk_…" or "X-API-Key: pk_…"; `npm run keys:create` makes the first one';

const plainAddress = ({ ip }: FastifyRequest): string => ip.replace(/^::ffff:/i, '');

/** Whoever watches over the process asks as often as they like. */
const isProbe = ({ routeOptions: { url } }: FastifyRequest): boolean => url === '/healthz' || url === '/readyz';

function mayAct({ role, tenantId }: KnownKey, { least, root }: RoleRight): void {
  if (!hasRole(role, least)) throw Forbidden.needs(least, role);
  if (root && tenantId !== EVERY_TENANT) {
    throw new Forbidden(
      'this concerns the whole deployment and needs a key of tenant *, made with `keys:create --root`',
    );
  }
}

/** The key's own tenant; a key of the whole deployment says which with `X-Tenant`. */
function tenantFor({ headers }: FastifyRequest, own: string, right: Right | undefined): string {
  const named = headers['x-tenant'];
  if (named === undefined) return own === EVERY_TENANT ? DEFAULT_TENANT : own;
  const isWide = right?.kind === 'role' && right.wide === true;
  if (typeof named !== 'string' || !(isTenantName(named) || (isWide && named === EVERY_TENANT))) {
    throw new InvalidInput([{ field: 'X-Tenant', message: TENANT_RULE }]);
  }
  if (own !== EVERY_TENANT && named !== own) throw new Forbidden(`this key is of tenant ${own}, and of no other`);
  return named;
}
