import { Body, Controller, Param, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { RetryRun } from '#pipeline';
import { decidedBy } from '../access/access.js';
import { Audit } from '../access/audit.js';
import { Quotas } from '../access/quotas.js';
import { DecisionEndpoint } from '../http/endpoint.js';
import { RunIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { RetryRunRequest } from './retry-run.request.js';
import { RunPage } from './run-page.js';
import { RunWithAttemptsView } from './run.view.js';

const ABOUT = `It becomes RETRYING, is due at once, and may be executed once more than before, by its task as it is now; with another payload, if one
is given. If that fails too, it waits for a person again.

It takes a slot under the task's \`max_concurrency\`. When none is free that is 409 \`no-free-slot\` with \`Retry-After\`, and nothing changes.
A run in any other state is 409, as is one whose task was deleted.`;

@ApiTags('runs')
@Controller('runs/:id')
export class RetryController {
  constructor(
    private readonly retryRun: RetryRun,
    private readonly page: RunPage,
    private readonly audit: Audit,
    private readonly quotas: Quotas,
  ) {}

  @DecisionEndpoint('retry', { summary: 'Try a PENDING run again', description: ABOUT, view: RunWithAttemptsView })
  @ApiBody({ type: RetryRunRequest, required: false })
  async retry(
    @Param('id', RunIdPipe) id: string,
    @Body() { remark, payload, by }: RetryRunRequest,
    @Req() request: FastifyRequest,
  ) {
    const tenantId = tenantOf(request);
    const said = { remark: remark ?? undefined, payload: payload ?? undefined, by: decidedBy(request, by) };
    const after = { status: 'RETRYING', remark: said.remark, payload_edited: said.payload !== undefined };
    const witness = this.audit.witness(request, { action: 'run.retry', entity: 'run', entityId: id, after });
    await this.quotas.forRuns(tenantId, 1);
    const run = await this.retryRun.retry({ tenantId, id, ...said, witness });
    try {
      // Before a worker hears of it, so that the answer is what was decided.
      return await this.page.of(tenantId, id);
    } finally {
      await this.retryRun.announce(run);
    }
  }
}
