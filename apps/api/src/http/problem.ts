import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FieldProblem } from '#domain';

/** RFC 9457, without the parts that belong to one answer only. */
export interface Problem {
  status: number;
  slug: string;
  detail: string;
  errors?: readonly FieldProblem[];
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function problemBody({ status, slug, detail, errors }: Problem, traceId: string) {
  return {
    type: `urn:punctual:problem:${slug}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    trace_id: traceId,
    ...(errors ? { errors } : {}),
  };
}

/** `id` of a request is its trace id, see create-app.ts. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  if (problem.retryAfterSeconds !== undefined) void reply.header('retry-after', String(problem.retryAfterSeconds));
  if (problem.headers !== undefined) void reply.headers(problem.headers);
  // As a string, so that no serializer or error handler has a say in it any more.
  void reply
    .status(problem.status)
    .header('x-trace-id', request.id)
    .header('content-type', PROBLEM_TYPE)
    .send(JSON.stringify(problemBody(problem, request.id)));
}
