import type { Role } from '#domain';

/**
 * What a route asks of whoever comes:
 * `open`: nothing; `here`: to come from this machine; `token`: a token of its own, which it checks itself;
 * `metrics`: a key, or METRICS_TOKEN; otherwise a key with a role, `wide` where it may be about all tenants at once, `root` where it
 * must be a key of the whole deployment.
 */
export type Right = { kind: 'open' } | { kind: 'here' } | { kind: 'token' } | { kind: 'metrics' } | RoleRight;

export interface RoleRight {
  kind: 'role';
  least: Role;
  wide?: boolean;
  root?: boolean;
}

const role = (least: Role, more: Pick<RoleRight, 'wide' | 'root'> = {}): RoleRight => ({
  kind: 'role',
  least,
  ...more,
});
const view = role('VIEWER');
const operate = role('OPERATOR');
const edit = role('EDITOR');
const administer = role('ADMIN', { wide: true });
const deployment = role('ADMIN', { root: true });

/** Every route of the API, without /api/v1; docs/access.md shows it by role. A test compares it with the OpenAPI document. */
export const ROUTE_RIGHTS: Readonly<Record<string, Right>> = {
  'GET /tasks': view,
  'GET /tasks/:id': view,
  'GET /tasks/:id/next': view,
  'GET /tasks/:id/explain': view,
  'GET /tasks/:id/runs': view,
  'GET /tasks/:id/backfills': view,
  'GET /runs': view,
  'GET /runs/:id': view,
  'GET /backfills/:id': view,
  'GET /deliveries': view,
  'GET /deliveries/:id': view,
  'GET /stats': view,
  'GET /cluster/nodes': view,
  'POST /cron/preview': view,

  'POST /tasks/:id/runs': operate,
  'POST /tasks/:id/trigger': operate,
  'POST /tasks/:id/enable': operate,
  'POST /tasks/:id/resume': operate,
  'POST /tasks/:id/disable': operate,
  'POST /tasks/:id/pause': operate,
  'POST /tasks/:id/backfill': operate,
  'POST /backfills/:id/cancel': operate,
  'POST /jobs': operate,
  'POST /jobs/batch': operate,
  'POST /runs/:id/cancel': operate,
  'POST /runs/:id/replay': operate,
  'POST /runs/:id/resolve': operate,
  'POST /runs/:id/retry': operate,
  'POST /deliveries/:id/redeliver': operate,
  'POST /agents/claim': operate,
  'POST /agents/runs/:id/heartbeat': operate,
  'POST /agents/runs/:id/complete': operate,
  'POST /agents/runs/:id/fail': operate,

  'POST /tasks': edit,
  'PUT /tasks/:id': edit,
  'PATCH /tasks/:id': edit,
  'DELETE /tasks/:id': edit,

  'GET /api-keys': administer,
  'POST /api-keys': administer,
  'GET /api-keys/:id': administer,
  'DELETE /api-keys/:id': administer,
  'GET /audit': administer,

  'POST /cluster/nodes/:id/drain': deployment,
  'POST /cluster/nodes/:id/undrain': deployment,

  'POST /callbacks/:run_id': { kind: 'token' },
  'PUT /callbacks/:run_id': { kind: 'token' },
  'POST /callbacks/:run_id/heartbeat': { kind: 'token' },

  'GET /healthz': { kind: 'open' },
  'GET /readyz': { kind: 'open' },
  'GET /metrics': { kind: 'metrics' },
};

/** What is not in the table is for nobody but whoever runs the deployment: a route that was forgotten there is closed, not open. */
const UNKNOWN: Right = deployment;

/** Of a route as Fastify knows it; undefined: there is none, and whoever asks is told so. */
export function rightOf(method: string, route: string | undefined): Right | undefined {
  if (route === undefined) return undefined;
  if (/^\/docs(\/|$)/.test(route)) return { kind: 'open' };
  if (route.startsWith('/demo/')) return { kind: 'here' };
  const path = route.replace(/^\/api\/v1(?=\/)/, '').replace(/(.)\/$/, '$1');
  return ROUTE_RIGHTS[`${method === 'HEAD' ? 'GET' : method} ${path}`] ?? UNKNOWN;
}
