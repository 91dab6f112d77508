import { Body, Controller, Inject, Param, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { resolveRun } from '#database';
import { PLATFORM, type Platform } from '#pipeline';
import { decidedBy } from '../access/access.js';
import { Audit } from '../access/audit.js';
import { DecisionEndpoint } from '../http/endpoint.js';
import { RunIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { ResolveRunRequest } from './resolve-run.request.js';
import { RunPage } from './run-page.js';
import { RunWithAttemptsView } from './run.view.js';

@ApiTags('runs')
@Controller('runs/:id')
export class ResolveController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly page: RunPage,
    private readonly audit: Audit,
  ) {}

  @DecisionEndpoint('resolve', {
    summary: 'Close a PENDING run by hand',
    description: 'It becomes MANUALLY_PROCESSED. A run in any other state is 409, and stays as it is.',
    view: RunWithAttemptsView,
  })
  async resolve(
    @Param('id', RunIdPipe) id: string,
    @Body() { remark, result, by }: ResolveRunRequest,
    @Req() request: FastifyRequest,
  ) {
    const { database, clock } = this.platform;
    const tenantId = tenantOf(request);
    const said = { remark, result: result ?? undefined, by: decidedBy(request, by) };
    const after = { status: 'MANUALLY_PROCESSED', remark };
    const witness = this.audit.witness(request, { action: 'run.resolve', entity: 'run', entityId: id, after });
    await resolveRun(database, { tenantId, id, ...said, witness }, clock.now());
    const run = await this.page.of(tenantId, id);
    this.platform.metrics.moved('MANUALLY_PROCESSED', run.trigger);
    return run;
  }
}
