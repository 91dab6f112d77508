import { Body, Controller, Param, Query, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { InvalidInput } from '#domain';
import { CancelRun } from '#pipeline';
import { Audit } from '../access/audit.js';
import { ActionEndpoint, ReadEndpoint } from '../http/endpoint.js';
import { RunIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { CancelRunRequest } from './cancel-run.request.js';
import { ListRunsQuery } from './list-runs.query.js';
import { RunList } from './run-list.js';
import { RunPage } from './run-page.js';
import { RunListView, RunWithAttemptsView } from './run.view.js';

@ApiTags('runs')
@Controller('runs')
export class RunsController {
  constructor(
    private readonly runs: RunList,
    private readonly page: RunPage,
    private readonly cancelRun: CancelRun,
    private readonly audit: Audit,
  ) {}

  @ReadEndpoint('', { summary: 'List runs, newest first', view: RunListView })
  list(@Query() { task_id, ...query }: ListRunsQuery, @Req() request: FastifyRequest) {
    return this.runs.page(tenantOf(request), task_id === undefined ? undefined : taskIdOf(task_id), query);
  }

  @ReadEndpoint(':id', { summary: 'One run with its attempts and the notices about it', view: RunWithAttemptsView })
  find(@Param('id', RunIdPipe) id: string, @Req() request: FastifyRequest) {
    return this.page.of(tenantOf(request), id);
  }

  @ActionEndpoint(':id/cancel', {
    summary: 'Cancel an unfinished run',
    description:
      'Its request is broken off, its slot goes to the next in line. One that is cancelled already stays so.',
    view: RunWithAttemptsView,
  })
  @ApiBody({ type: CancelRunRequest, required: false })
  async cancel(@Param('id', RunIdPipe) id: string, @Body() body: CancelRunRequest, @Req() request: FastifyRequest) {
    const after = { status: 'CANCELED', reason: body.reason ?? undefined };
    const witness = this.audit.witness(request, { action: 'run.cancel', entity: 'run', entityId: id, after });
    await this.cancelRun.cancel({ tenantId: tenantOf(request), id, witness }, body.reason ?? undefined);
    return this.page.of(tenantOf(request), id);
  }
}

function taskIdOf(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new InvalidInput([{ field: 'task_id', message: 'must be the id of a task' }]);
}
