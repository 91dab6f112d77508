import { Controller, Inject, Param, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { setTaskStatus } from '#database';
import type { TaskStatus } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { Audit } from '../access/audit.js';
import { ActionEndpoint } from '../http/endpoint.js';
import { TakesNoBody } from '../http/takes-no-body.js';
import { TaskIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { presentTask } from './present-task.js';
import { TaskView } from './task.view.js';

@ApiTags('tasks')
@Controller('tasks/:id')
export class TaskStatusController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly audit: Audit,
  ) {}

  @TakesNoBody()
  @ActionEndpoint(['enable', 'resume'], { summary: 'Enable a task: it is planned from now on', view: TaskView })
  enable(@Param('id', TaskIdPipe) id: bigint, @Req() request: FastifyRequest) {
    return this.set(request, id, 'ENABLED');
  }

  @TakesNoBody()
  @ActionEndpoint(['disable', 'pause'], { summary: 'Disable a task: nothing is planned any more', view: TaskView })
  disable(@Param('id', TaskIdPipe) id: bigint, @Req() request: FastifyRequest) {
    return this.set(request, id, 'DISABLED');
  }

  private async set(request: FastifyRequest, id: bigint, status: TaskStatus) {
    const { database, clock } = this.platform;
    const witness = this.audit.taskWitness(request, status === 'ENABLED' ? 'task.enable' : 'task.disable');
    return presentTask(await setTaskStatus(database, clock, { tenantId: tenantOf(request), id, status, witness }));
  }
}
