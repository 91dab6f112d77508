import type { FastifyInstance } from 'fastify';
import { Unauthenticated } from '#domain';
import type { ProblemFilter } from '../http/problem.filter.js';
import type { Access } from './access.js';
import type { Doorkeeper } from './doorkeeper.js';
import { rightOf } from './route-rights.js';

/** Puts the doorkeeper in front of every route of the server, also of those that are not Nest's. Before the routes are made. */
export function addDoorkeeper(server: FastifyInstance, doorkeeper: Doorkeeper, filter: ProblemFilter): void {
  server.decorateRequest('access', null as unknown as Access);
  server.addHook('onRequest', async (request, reply) => {
    try {
      await doorkeeper.receive(request, reply);
    } catch (error) {
      if (error instanceof Unauthenticated && error.wasTried) await doorkeeper.failed(request);
      filter.answer(error, request, reply);
      return reply;
    }
  });
  // Before the answer is out: whoever reads it and asks again is counted already.
  server.addHook('onSend', async (request, { statusCode }) => {
    if (!isRefusal(statusCode)) return;
    if (rightOf(request.method, request.routeOptions.url)?.kind === 'token') await doorkeeper.failed(request);
  });
}

/** 409 has shown a good token; 429 has been counted. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 409 && status !== 429;
