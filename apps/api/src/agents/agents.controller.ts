import { Body, Controller, Param, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AgentReport } from '#domain';
import { HearAgent } from '#pipeline';
import { DecisionEndpoint } from '../http/endpoint.js';
import { RunIdPipe } from '../http/id.pipe.js';
import { progressIn } from '../http/progress.js';
import { tenantOf } from '../http/tenant.js';
import { ClaimView, LeaseView, ReportView } from './agents.view.js';
import { ClaimRequest } from './claim.request.js';
import { Claims } from './claims.js';
import { CompleteRequest } from './complete.request.js';
import { FailRequest } from './fail.request.js';
import { AgentHeartbeatRequest } from './heartbeat.request.js';
import { presentAgentRun } from './present-agent-run.js';

const CLAIM = `The highest priority first, then the oldest, each to one agent only. With \`wait_seconds\` the answer comes as soon as there
is something, or empty when the time is over.`;

@ApiTags('agents')
@Controller('agents')
export class AgentsController {
  constructor(
    private readonly claims: Claims,
    private readonly agents: HearAgent,
  ) {}

  @DecisionEndpoint('claim', { summary: 'Take runs to execute', description: CLAIM, view: ClaimView })
  async claim(
    @Body() body: ClaimRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { agent, limit, wait_seconds } = body;
    const filter = {
      categories: anyOr(body.categories),
      types: anyOr(body.types),
      creator: body.creator ?? undefined,
    };
    const wish = { tenantId: tenantOf(request), agent, limit: limit ?? 1, ...filter };
    const runs = await this.claims.claim(wish, (wait_seconds ?? 0) * 1000, hangUp(reply), () => request.access.check());
    return { items: runs.map(presentAgentRun) };
  }

  @DecisionEndpoint('runs/:id/heartbeat', {
    summary: 'Keep the lease of a run',
    description: 'The answer says whether the run was cancelled. A stale `exec_id` is 409 and changes nothing.',
    view: LeaseView,
  })
  async heartbeat(
    @Param('id', RunIdPipe) id: string,
    @Body() { exec_id: execId, progress }: AgentHeartbeatRequest,
    @Req() request: FastifyRequest,
  ) {
    const word = { tenantId: tenantOf(request), id, execId };
    const { cancelRequested, deadline } = await this.agents.heartbeat(word, progressIn(progress));
    return {
      cancel_requested: cancelRequested,
      deadline: deadline === null ? null : new Date(deadline).toISOString(),
    };
  }

  @DecisionEndpoint('runs/:id/complete', {
    summary: 'Close a run: it is done',
    description: 'A stale `exec_id` is 409 and changes nothing; the same again is no mistake.',
    view: ReportView,
  })
  complete(
    @Param('id', RunIdPipe) id: string,
    @Body() { exec_id, result }: CompleteRequest,
    @Req() request: FastifyRequest,
  ) {
    return this.report(request, id, exec_id, { kind: 'complete', result });
  }

  @DecisionEndpoint('runs/:id/fail', {
    summary: 'Close an attempt: it failed',
    description: 'Another one follows while the retry policy has any, unless `retryable` is false.',
    view: ReportView,
  })
  fail(@Param('id', RunIdPipe) id: string, @Body() body: FailRequest, @Req() request: FastifyRequest) {
    return this.report(request, id, body.exec_id, {
      kind: 'fail',
      errorCode: body.error_code ?? undefined,
      errorInfo: body.error_info ?? undefined,
      retryable: body.retryable ?? undefined,
      retryAfterSeconds: body.retry_after_seconds ?? undefined,
    });
  }

  private async report(request: FastifyRequest, id: string, execId: string, report: AgentReport) {
    const first = await this.agents.report({ tenantId: tenantOf(request), id, execId }, report);
    return { id, duplicate: !first };
  }
}

/** An empty list narrows nothing down. */
const anyOr = (names: string[] | null | undefined): string[] | undefined => (names?.length ? names : undefined);

/** Aborted when whoever asked is no longer there. */
function hangUp(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
