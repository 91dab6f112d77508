import type { FastifyInstance } from 'fastify';

/** A batch carries many of what other requests carry one of. */
const BATCHES = /^\/api\/v1\/\w+\/batch\/?$/;
const TIMES = 4;

/** Lets batches be larger than other requests. Before the routes are made. */
export function allowLargeBatches(server: FastifyInstance, bodyLimitBytes: number): void {
  server.addHook('onRoute', (route) => {
    if (BATCHES.test(route.url)) route.bodyLimit = TIMES * bodyLimitBytes;
  });
}
