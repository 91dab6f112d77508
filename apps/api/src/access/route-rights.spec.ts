import { describe, expect, it } from '@jest/globals';
import type { Role } from '#domain';
import { type Right, ROUTE_RIGHTS, rightOf } from './route-rights.js';

const routesWhere = (fits: (right: Right) => boolean): string[] =>
  Object.entries(ROUTE_RIGHTS)
    .filter(([, right]) => fits(right))
    .map(([route]) => route);

describe('the rights of routes', () => {
  it('are those of the table, with the prefix or a slash at the end or as HEAD', () => {
    expect(rightOf('GET', '/api/v1/tasks/:id')).toBe(ROUTE_RIGHTS['GET /tasks/:id']);
    expect(rightOf('HEAD', '/api/v1/tasks/')).toBe(ROUTE_RIGHTS['GET /tasks']);
    expect(rightOf('GET', '/healthz')).toEqual({ kind: 'open' });
  });

  it('of a route that is not in the table are for whoever runs the deployment alone', () => {
    expect(rightOf('POST', '/api/v1/something/new')).toEqual({ kind: 'role', least: 'ADMIN', root: true });
    expect(rightOf('DELETE', '/api/v1/tasks')).toEqual({ kind: 'role', least: 'ADMIN', root: true });
    expect(rightOf('GET', '/documents')).toEqual({ kind: 'role', least: 'ADMIN', root: true });
  });

  /** What each role may do beyond those before it, written out: a route that moves to a weaker role has to be moved here, too. */
  it.each<[Role, string[]]>([
    [
      'VIEWER',
      [
        ...['GET /tasks', 'GET /tasks/:id', 'GET /tasks/:id/next', 'GET /tasks/:id/explain', 'GET /tasks/:id/runs'],
        ...['GET /tasks/:id/backfills', 'GET /runs', 'GET /runs/:id', 'GET /backfills/:id', 'GET /deliveries'],
        ...['GET /deliveries/:id', 'GET /stats', 'GET /cluster/nodes', 'POST /cron/preview'],
      ],
    ],
    [
      'OPERATOR',
      [
        ...['POST /tasks/:id/runs', 'POST /tasks/:id/trigger', 'POST /tasks/:id/enable', 'POST /tasks/:id/resume'],
        ...['POST /tasks/:id/disable', 'POST /tasks/:id/pause', 'POST /tasks/:id/backfill'],
        ...['POST /backfills/:id/cancel', 'POST /jobs', 'POST /jobs/batch', 'POST /runs/:id/cancel'],
        ...['POST /runs/:id/replay', 'POST /runs/:id/resolve', 'POST /runs/:id/retry'],
        ...['POST /deliveries/:id/redeliver', 'POST /agents/claim', 'POST /agents/runs/:id/heartbeat'],
        ...['POST /agents/runs/:id/complete', 'POST /agents/runs/:id/fail'],
      ],
    ],
    ['EDITOR', ['POST /tasks', 'PUT /tasks/:id', 'PATCH /tasks/:id', 'DELETE /tasks/:id']],
    [
      'ADMIN',
      [
        ...['GET /api-keys', 'POST /api-keys', 'GET /api-keys/:id', 'DELETE /api-keys/:id', 'GET /audit'],
        ...['POST /cluster/nodes/:id/drain', 'POST /cluster/nodes/:id/undrain'],
      ],
    ],
  ])('of %s are these, and no others', (role, routes) => {
    expect(routesWhere((right) => right.kind === 'role' && right.least === role).sort()).toEqual(routes.sort());
  });

  it('are of the whole deployment where they concern all tenants', () => {
    const ofRoot = ['POST /cluster/nodes/:id/drain', 'POST /cluster/nodes/:id/undrain'];
    expect(routesWhere((right) => right.kind === 'role' && right.root === true)).toEqual(ofRoot);
  });

  it('are a token of their own for callbacks alone, and a key or a token for the metrics', () => {
    const callbacks = ['POST /callbacks/:run_id', 'PUT /callbacks/:run_id', 'POST /callbacks/:run_id/heartbeat'];
    expect(routesWhere(({ kind }) => kind === 'token')).toEqual(callbacks);
    expect(routesWhere(({ kind }) => kind === 'metrics')).toEqual(['GET /metrics']);
    expect(routesWhere(({ kind }) => kind === 'here')).toEqual([]);
  });

  it('are open where there is nothing to see or to change', () => {
    expect(routesWhere(({ kind }) => kind === 'open')).toEqual(['GET /healthz', 'GET /readyz']);
    expect(rightOf('GET', '/docs/openapi.json')).toEqual({ kind: 'open' });
    expect(rightOf('GET', '/nothing'.slice(0, 0) || undefined)).toBeUndefined();
  });
});
