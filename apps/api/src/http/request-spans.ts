import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newSpanId, type Platform } from '#pipeline';
import { parentSpanFrom } from './trace.js';

interface OpenSpan {
  id: string;
  start: number;
}

const spans = new WeakMap<FastifyRequest, OpenSpan>();

/** The span of a request; undefined while nobody asks for traces. */
export const spanOf = (request: FastifyRequest): string | undefined => spans.get(request)?.id;

/** A span for every request to a resource, in the trace of its caller. Probes and scrapes are not worth one. */
export function addRequestSpans(server: FastifyInstance, { tracing, clock }: Platform): void {
  if (tracing === null) return;
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.url.startsWith('/api/')) spans.set(request, { id: newSpanId(), start: clock.now() });
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const open = spans.get(request);
    if (open)
      tracing.request({
        ...{ traceId: request.id, spanId: open.id, parentId: parentSpanFrom(request.headers) },
        ...{ method: request.method, route: request.routeOptions.url ?? 'unknown', status: reply.statusCode },
        ...{ start: open.start, end: clock.now() },
      });
    done();
  });
}
