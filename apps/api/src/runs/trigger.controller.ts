import { Body, Controller, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findRun, type NewRun, type Session } from '#database';
import { NotFound } from '#domain';
import { PLATFORM, type Platform, TriggerRun } from '#pipeline';
import { CreateEndpoint } from '../http/endpoint.js';
import { TaskIdPipe } from '../http/id.pipe.js';
import { Idempotency } from '../http/idempotency.js';
import { tenantOf } from '../http/tenant.js';
import { presentRun } from './present-run.js';
import { RunView } from './run.view.js';
import { TriggerRunRequest } from './trigger-run.request.js';

@ApiTags('runs')
@Controller('tasks/:id')
export class TriggerController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly trigger: TriggerRun,
    private readonly idempotency: Idempotency,
  ) {}

  @CreateEndpoint(['runs', 'trigger'], { status: 202, summary: 'Run a task now, or at a time', view: RunView })
  @ApiBody({ type: TriggerRunRequest, required: false })
  async create(
    @Param('id', TaskIdPipe) taskId: bigint,
    @Body() body: TriggerRunRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    let admitted: NewRun | undefined;
    const answer = await this.idempotency.answer(request, reply, async (session) => {
      admitted = await this.admit(session, taskId, body, request);
      return this.answerOf(session, admitted);
    });
    if (admitted) await this.announce(admitted);
    return answer;
  }

  private async admit(session: Session, taskId: bigint, body: TriggerRunRequest, request: FastifyRequest) {
    const run = await this.trigger.admit(session, {
      tenantId: tenantOf(request),
      taskId,
      trigger: 'API',
      traceId: request.id,
      payload: body.payload ?? undefined,
      startTime: body.start_time ? new Date(body.start_time) : undefined,
      priority: body.priority ?? undefined,
      creator: body.creator ?? undefined,
      attemptTimeoutSeconds: body.attempt_timeout_seconds ?? undefined,
    });
    if (run === null) throw new NotFound('task', String(taskId));
    return run;
  }

  private async answerOf(session: Session, { tenantId, id }: NewRun) {
    const stored = await findRun(session, tenantId, id);
    if (stored === null) throw new NotFound('run', id);
    const headers = { location: `/api/v1/runs/${id}` };
    return { status: 202, headers, body: JSON.stringify(presentRun(stored.run)) };
  }

  /** The run is committed; should the queue not hear of it, rescue brings it there. */
  private async announce(run: NewRun): Promise<void> {
    await this.trigger.announce(run).catch((error: unknown) => {
      this.platform.log.warn(
        { err: error, run: run.id, trace_id: run.traceId },
        'a run was not announced to the queue',
      );
    });
  }
}
