import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '#config';
import { isPlainUtf8, readJson } from './read-json.js';

/** The trace id on every answer, and a line in the log for every request. */
export function addRequestHooks(server: FastifyInstance, log: Logger): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-trace-id', request.id);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    log[levelOf(request, reply)](lineOf(request, reply), 'request');
    done();
  });
}

/** Changes are news, questions are not, and a probe repeats itself. */
function levelOf({ method, url }: FastifyRequest, { statusCode }: FastifyReply): 'warn' | 'info' | 'debug' {
  if (statusCode >= 500 && url !== '/readyz') return 'warn';
  const isChange = method !== 'GET' && method !== 'HEAD' && url.startsWith('/api/');
  return isChange ? 'info' : 'debug';
}

/** Without the query: people put secrets there. */
function lineOf(request: FastifyRequest, reply: FastifyReply) {
  return {
    method: request.method,
    url: request.url.split('?', 1)[0].slice(0, 256),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    trace_id: request.id,
  };
}

/** JSON and nothing else; but a request without a body may name any content type, as some clients do. */
export function takeJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const types = ['application/json', 'application/merge-patch+json'];
  server.addContentTypeParser(types, { parseAs: 'buffer' }, ({ headers }, body, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isPlainUtf8(headers)) return done(new UnsupportedMediaTypeException(), undefined);
    let read: unknown;
    try {
      read = readJson(body as Buffer);
    } catch (error) {
      return done(error as Error, undefined);
    }
    // Out of the try: what goes wrong behind it is not the body's fault, and nobody is to be answered twice.
    done(null, read);
  });
  server.addContentTypeParser('*', ({ headers }, _payload, done) => {
    const isEmpty = headers['content-length'] === '0' && headers['transfer-encoding'] === undefined;
    done(isEmpty ? null : new UnsupportedMediaTypeException(), undefined);
  });
}
