import { Controller, Inject, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { type AuditEntry, listAudit } from '#database';
import { PLATFORM, type Platform } from '#pipeline';
import { tenantScope } from '../access/access.js';
import { decodeCursor, encodeCursor, page } from '../http/cursor.js';
import { ReadEndpoint } from '../http/endpoint.js';
import { DEFAULT_LIMIT } from '../http/list.query.js';
import { AuditListView } from './audit.view.js';
import { ListAuditQuery } from './list-audit.query.js';

@ApiTags('access')
@Controller('audit')
export class AuditController {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  @ReadEndpoint('', { summary: 'Who changed what, newest first', view: AuditListView })
  async list(@Query() query: ListAuditQuery, @Req() request: FastifyRequest) {
    const { limit = DEFAULT_LIMIT, cursor, by, action, entity, entity_id: entityId, from, to } = query;
    const before = decodeCursor('audit', cursor);
    const rows = await listAudit(this.platform.database, {
      ...{ tenantId: tenantScope(request), by, action, entity, entityId, limit: limit + 1 },
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
      before: before === undefined ? undefined : BigInt(before),
    });
    return page(rows, limit, presentEntry, ({ id }) => encodeCursor('audit', String(id)));
  }
}

function presentEntry({ id, at, tenantId, keyId, entityId, traceId, ...same }: AuditEntry) {
  const { by, address, action, entity, before, after } = same;
  return {
    ...{ id: String(id), at: at.toISOString(), tenant: tenantId, by, key_id: keyId === null ? null : String(keyId) },
    ...{ address, action, entity, entity_id: entityId, before, after, trace_id: traceId },
  };
}
