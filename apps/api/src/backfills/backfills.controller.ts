import { Controller, Inject, Param, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { cancelBackfill, findBackfill } from '#database';
import { NotFound } from '#domain';
import { EnqueueRuns, PLATFORM, type Platform } from '#pipeline';
import { Audit } from '../access/audit.js';
import { ActionEndpoint, ReadEndpoint } from '../http/endpoint.js';
import { TakesNoBody } from '../http/takes-no-body.js';
import { BackfillIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { BackfillView } from './backfill.view.js';
import { presentBackfill } from './present-backfill.js';

@ApiTags('backfills')
@Controller('backfills/:id')
export class BackfillsController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly enqueue: EnqueueRuns,
    private readonly audit: Audit,
  ) {}

  @ReadEndpoint('', { summary: 'One backfill and how far it has come', view: BackfillView })
  async find(@Param('id', BackfillIdPipe) id: bigint, @Req() request: FastifyRequest) {
    const backfill = await findBackfill(this.platform.database.client, tenantOf(request), id);
    if (backfill === null) throw new NotFound('backfill', String(id));
    return presentBackfill(backfill);
  }

  @TakesNoBody()
  @ActionEndpoint('cancel', {
    summary: 'Cancel a backfill: no more runs, those not executing are cancelled, the others finish',
    description: 'One that is over stays as it is.',
    view: BackfillView,
  })
  async cancel(@Param('id', BackfillIdPipe) id: bigint, @Req() request: FastifyRequest) {
    const { database, clock, metrics } = this.platform;
    const change = { action: 'backfill.cancel', entity: 'backfill' as const, entityId: String(id) };
    const witness = this.audit.witness(request, { ...change, after: { status: 'CANCELED' } });
    const { canceled, released } = await cancelBackfill(database, clock, { tenantId: tenantOf(request), id, witness });
    metrics.canceled(canceled, 'BACKFILL_CANCELED');
    // Should the queue not hear of them, rescue brings them there.
    await this.enqueue.add(released);
    return this.find(id, request);
  }
}
