import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '#config';
import { problemOf } from './problem-of.js';
import { type Problem, sendProblem } from './problem.js';
import { readToEnd } from './read-to-end.js';

/** Every error of every request ends here, Fastify's own included. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = problemOf(error);
    if (problem.status === 500) this.logger.error({ err: error, trace_id: request.id }, 'request failed');
    if (problem.status === 503) this.logger.debug({ err: error, trace_id: request.id }, problem.detail);
    if (problem.status === 413) return void this.answerAfterBody(problem, request, reply);
    if (!reply.sent) sendProblem(request, reply, problem);
  }

  private async answerAfterBody(problem: Problem, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await readToEnd(request.raw);
    if (!reply.sent) sendProblem(request, reply, problem);
  }
}
