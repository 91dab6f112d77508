import { Body, Controller, Inject, Param, Query, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { deliveriesOfRun, findRun } from '#database';
import { InvalidInput, NotFound } from '#domain';
import { CancelRun, PLATFORM, type Platform } from '#pipeline';
import { presentDelivery } from '../deliveries/present-delivery.js';
import { ActionEndpoint, ReadEndpoint } from '../http/endpoint.js';
import { RunIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { CancelRunRequest } from './cancel-run.request.js';
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
    private readonly cancelRun: CancelRun,
  ) {}

  @ReadEndpoint('', { summary: 'List runs, newest first', view: RunListView })
  list(@Query() { task_id, ...query }: ListRunsQuery, @Req() request: FastifyRequest) {
    return this.runs.page(tenantOf(request), task_id === undefined ? undefined : taskIdOf(task_id), query);
  }

  @ReadEndpoint(':id', { summary: 'One run with its attempts and the notices about it', view: RunWithAttemptsView })
  async find(@Param('id', RunIdPipe) id: string, @Req() request: FastifyRequest) {
    const { client } = this.platform.database;
    const found = await findRun(client, tenantOf(request), id);
    if (found === null) throw new NotFound('run', id);
    const deliveries = await deliveriesOfRun(client, tenantOf(request), id);
    return {
      ...presentRun(found.run),
      attempts: found.attempts.map(presentAttempt),
      deliveries: deliveries.map(presentDelivery),
    };
  }

  @ActionEndpoint(':id/cancel', {
    summary: 'Cancel an unfinished run',
    description:
      'Its request is broken off, its slot goes to the next in line. One that is cancelled already stays so.',
    view: RunWithAttemptsView,
  })
  @ApiBody({ type: CancelRunRequest, required: false })
  async cancel(@Param('id', RunIdPipe) id: string, @Body() body: CancelRunRequest, @Req() request: FastifyRequest) {
    await this.cancelRun.cancel({ tenantId: tenantOf(request), id }, body.reason ?? undefined);
    return this.find(id, request);
  }
}

function taskIdOf(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new InvalidInput([{ field: 'task_id', message: 'must be the id of a task' }]);
}
