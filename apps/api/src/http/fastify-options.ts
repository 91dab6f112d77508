import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions } from 'fastify';
import type { ServerConfig } from '#config';
import { serverTimeouts } from '#pipeline';
import { problemOf } from './problem-of.js';
import { problemBody, PROBLEM_TYPE, sendProblem } from './problem.js';
import { traceIdFrom } from './trace.js';

/** Fastify, set up so that whatever it refuses on its own account is told like everything else. */
export function fastifyOptions(config: ServerConfig) {
  return {
    bodyLimit: config.bodyLimitBytes,
    // For a server that Fastify makes; the front door's has them from its own beginning.
    http: serverTimeouts(config),
    requestTimeout: serverTimeouts(config).requestTimeout,
    keepAliveTimeout: serverTimeouts(config).keepAliveTimeout,
    trustProxy: config.trustProxy.length > 0 && [...config.trustProxy],
    // What still arrives on an open connection while we stop is served; the connection is closed after it.
    return503OnClosing: false,
    genReqId: (request: IncomingMessage) => traceIdFrom(request.headers),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    frameworkErrors: (error, request, reply) => sendProblem(request, reply, problemOf(error)),
    clientErrorHandler: refuseUnreadable,
  } satisfies FastifyHttpOptions<Server>;
}

const STATUS_OF: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What is not HTTP never becomes a request: the answer is written by hand. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const statusCode = STATUS_OF[error.code ?? ''] ?? 400;
  const traceId = traceIdFrom({});
  const body = JSON.stringify(problemBody(problemOf({ statusCode }), traceId));
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-trace-id: ${traceId}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
