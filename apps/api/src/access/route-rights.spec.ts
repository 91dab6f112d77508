import { describe, expect, it } from '@jest/globals';
import { ROUTE_RIGHTS, rightOf } from './route-rights.js';

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

  it('let nobody change anything who may only look', () => {
    const changes = Object.entries(ROUTE_RIGHTS).filter(([route]) => !route.startsWith('GET '));
    const forViewers = changes.filter(([, right]) => right.kind === 'role' && right.least === 'VIEWER');
    expect(forViewers.map(([route]) => route)).toEqual(['POST /cron/preview']);
  });

  it('are open where there is nothing to see or to change', () => {
    const open = Object.entries(ROUTE_RIGHTS).filter(([, { kind }]) => kind === 'open');
    expect(open.map(([route]) => route)).toEqual(['GET /healthz', 'GET /readyz']);
    expect(rightOf('GET', '/docs/openapi.json')).toEqual({ kind: 'open' });
    expect(rightOf('GET', '/nothing'.slice(0, 0) || undefined)).toBeUndefined();
  });
});
