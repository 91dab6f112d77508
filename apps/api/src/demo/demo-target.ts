import type { FastifyInstance } from 'fastify';

/**
 * A target for first steps: answers with what it got. A Fastify plugin of its own, since unlike the API it takes any
 * method and any content type.
 */
export async function demoTarget(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  scope.all('/demo/echo', ({ method, headers, query, body }) => ({
    method,
    headers,
    query,
    body: typeof body === 'string' ? body : null,
    received_at: new Date().toISOString(),
  }));
  return Promise.resolve();
}
