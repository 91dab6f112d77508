import { Controller, Inject, Param, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { findDelivery, hostOf, listDeliveries, redeliver } from '#database';
import { InvalidInput } from '#domain';
import { EnqueueNotices, PLATFORM, type Platform } from '#pipeline';
import { Audit } from '../access/audit.js';
import { decodeCursor, encodeCursor, page } from '../http/cursor.js';
import { AcceptEndpoint, ReadEndpoint } from '../http/endpoint.js';
import { DeliveryIdPipe } from '../http/id.pipe.js';
import { DEFAULT_LIMIT } from '../http/list.query.js';
import { TakesNoBody } from '../http/takes-no-body.js';
import { tenantOf } from '../http/tenant.js';
import { DeliveryListView, DeliveryView } from './delivery.view.js';
import { ListDeliveriesQuery } from './list-deliveries.query.js';
import { presentDelivery } from './present-delivery.js';

@ApiTags('deliveries')
@Controller('deliveries')
export class DeliveriesController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly enqueue: EnqueueNotices,
    private readonly audit: Audit,
  ) {}

  @ReadEndpoint('', { summary: 'List deliveries of notices, newest first', view: DeliveryListView })
  async list(@Query() query: ListDeliveriesQuery, @Req() request: FastifyRequest) {
    const { limit = DEFAULT_LIMIT, cursor, status, task_id, run_id: runId } = query;
    const taskId = task_id === undefined ? undefined : taskIdOf(task_id);
    const rows = await listDeliveries(this.platform.database, {
      ...{ tenantId: tenantOf(request), status, taskId, runId, limit: limit + 1 },
      before: decodeCursor('delivery', cursor),
    });
    return page(rows, limit, presentDelivery, ({ id }) => encodeCursor('delivery', id));
  }

  @ReadEndpoint(':id', { summary: 'One delivery', view: DeliveryView })
  async find(@Param('id', DeliveryIdPipe) id: string, @Req() request: FastifyRequest) {
    return presentDelivery(await findDelivery(this.platform.database.client, tenantOf(request), id));
  }

  @TakesNoBody()
  @AcceptEndpoint(':id/redeliver', {
    summary: 'Send a notice again, now',
    description:
      'Whatever became of it: one that was given up or delivered gets all its tries anew, one that waits for its next try gets it now. The id stays the same, so that a receiver knows it again. One that is being sent this moment is left alone.',
    view: DeliveryView,
  })
  async redeliver(@Param('id', DeliveryIdPipe) id: string, @Req() request: FastifyRequest) {
    const { database, clock } = this.platform;
    const now = clock.now();
    const tenantId = tenantOf(request);
    const { status } = await findDelivery(database.client, tenantId, id);
    const change = { action: 'delivery.redeliver', entity: 'delivery' as const, entityId: id };
    const witness = this.audit.witness(request, { ...change, after: { status: 'PENDING' } });
    const isDue = await redeliver(database, { tenantId, id, witness: (sql) => witness(sql, status) }, now);
    const delivery = await findDelivery(database.client, tenantId, id);
    const { attempts, url } = delivery;
    if (isDue) await this.enqueue.add([{ id, attempts, dueAt: now, host: hostOf(url) }], true);
    return presentDelivery(delivery);
  }
}

function taskIdOf(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new InvalidInput([{ field: 'task_id', message: 'must be the id of a task' }]);
}
