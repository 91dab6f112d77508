import { Body, Controller, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotFound } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { CreateEndpoint } from '../http/endpoint.js';
import { TaskIdPipe } from '../http/id.pipe.js';
import { orderFrom } from './run-fields.js';
import { RunView } from './run.view.js';
import { accepted, RunsOnDemand } from './runs-on-demand.js';
import { TriggerRunRequest } from './trigger-run.request.js';

const ABOUT = `Under the task's concurrency policy, and whatever its schedule and \`status\` are: the answer says whether the run is SCHEDULED,
QUEUED behind others, or SKIPPED. Its trigger is MANUAL; that of what is asked for by name, at \`/jobs\`, is API.

A run with a \`start_time\` is SCHEDULED, but holds no slot until then: what the concurrency policy says is asked when it starts.`;

@ApiTags('runs')
@Controller('tasks/:id')
export class TriggerController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly onDemand: RunsOnDemand,
  ) {}

  @CreateEndpoint(['runs', 'trigger'], {
    ...{ status: 202, summary: 'Run a task now, or at a time', description: ABOUT, view: RunView, also: [404] },
  })
  @ApiBody({ type: TriggerRunRequest, required: false })
  create(
    @Param('id', TaskIdPipe) taskId: bigint,
    @Body() body: TriggerRunRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const order = orderFrom(body, this.platform.clock.now());
    return this.onDemand.answer(request, reply, { action: 'run.create' }, async (admit) => {
      const [run] = await admit([{ ...order, taskId, trigger: 'MANUAL', traceId: request.id }]);
      if (run === null) throw new NotFound('task', String(taskId));
      return accepted(run);
    });
  }
}
