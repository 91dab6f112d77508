import { Controller, Inject, Param, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { findTask } from '#database';
import { NotFound } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { ReadEndpoint } from '../http/endpoint.js';
import { TaskIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { TaskRunsQuery } from './list-runs.query.js';
import { RunList } from './run-list.js';
import { RunListView } from './run.view.js';

@ApiTags('runs')
@Controller('tasks/:id/runs')
export class TaskRunsController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly runs: RunList,
  ) {}

  @ReadEndpoint('', { summary: 'List the runs of a task, newest first', view: RunListView })
  async list(@Param('id', TaskIdPipe) id: bigint, @Query() query: TaskRunsQuery, @Req() request: FastifyRequest) {
    const tenantId = tenantOf(request);
    if ((await findTask(this.platform.database.client, tenantId, id)) === null) throw new NotFound('task', String(id));
    return this.runs.page(tenantId, id, query);
  }
}
