import { Controller, Inject, Param, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { findRun } from '#database';
import { InvalidInput, NotFound } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { ReadEndpoint } from '../http/endpoint.js';
import { RunIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { ListRunsQuery } from './list-runs.query.js';
import { presentAttempt, presentRun } from './present-run.js';
import { RunList } from './run-list.js';
import { RunListView, RunWithAttemptsView } from './run.view.js';

@ApiTags('runs')
@Controller('runs')
export class RunsController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly runs: RunList,
  ) {}

  @ReadEndpoint('', { summary: 'List runs, newest first', view: RunListView })
  list(@Query() { task_id, ...query }: ListRunsQuery, @Req() request: FastifyRequest) {
    return this.runs.page(tenantOf(request), task_id === undefined ? undefined : taskIdOf(task_id), query);
  }

  @ReadEndpoint(':id', { summary: 'One run with its attempts', view: RunWithAttemptsView })
  async find(@Param('id', RunIdPipe) id: string, @Req() request: FastifyRequest) {
    const found = await findRun(this.platform.database.client, tenantOf(request), id);
    if (found === null) throw new NotFound('run', id);
    return { ...presentRun(found.run), attempts: found.attempts.map(presentAttempt) };
  }
}

function taskIdOf(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new InvalidInput([{ field: 'task_id', message: 'must be the id of a task' }]);
}
