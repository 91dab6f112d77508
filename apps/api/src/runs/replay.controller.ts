import { Controller, Param, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findRun, type Session, type TaskRun } from '#database';
import { isUnfinished, NotFound, type RunStatus, TaskOfRunDeleted, WrongState } from '#domain';
import type { RunOrder } from '#pipeline';
import { CreateEndpoint } from '../http/endpoint.js';
import { RunIdPipe } from '../http/id.pipe.js';
import { TakesNoBody } from '../http/takes-no-body.js';
import { tenantOf } from '../http/tenant.js';
import { RunView } from './run.view.js';
import { accepted, RunsOnDemand } from './runs-on-demand.js';

const ABOUT = `Makes a new run, with trigger REPLAY, of the task as it is now: with the payload, priority, creator and attempt timeout of this
run, and a trace of its own. It starts now, under the task's concurrency policy. The run itself stays as it is.

Runs that have ended can be replayed, and PENDING ones; one that is still under way is 409, as is one whose task was deleted.`;

@ApiTags('runs')
@Controller('runs/:id')
export class ReplayController {
  constructor(private readonly onDemand: RunsOnDemand) {}

  @TakesNoBody()
  @CreateEndpoint('replay', {
    ...{ status: 202, summary: 'Run again what has ended', description: ABOUT, view: RunView, also: [404] },
  })
  replay(
    @Param('id', RunIdPipe) id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.onDemand.answer(request, reply, { action: 'run.replay' }, async (admit, session) => {
      const [again] = await admit([orderOf(await endedRun(session, tenantOf(request), id), request.id)]);
      if (again === null) throw new TaskOfRunDeleted(id);
      return accepted(again);
    });
  }
}

async function endedRun(session: Session, tenantId: string, id: string): Promise<TaskRun> {
  const found = await findRun(session, tenantId, id);
  if (found === null) throw new NotFound('run', id);
  const { status } = found.run;
  if (isUnfinished(status as RunStatus)) throw new WrongState(id, status, 'it can be replayed once it has ended');
  return found.run;
}

function orderOf(run: TaskRun, traceId: string): RunOrder {
  return {
    taskId: run.taskId,
    trigger: 'REPLAY',
    traceId,
    payload: run.payload ?? undefined,
    priority: run.priority,
    creator: run.creator ?? undefined,
    attemptTimeoutSeconds: run.attemptTimeoutSeconds ?? undefined,
  };
}
