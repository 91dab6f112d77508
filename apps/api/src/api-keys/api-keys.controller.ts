import { Body, Controller, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createKey, findKey, inTransaction, listKeys, revokeKey } from '#database';
import { newApiKey, PLATFORM, type Platform } from '#pipeline';
import { tenantScope } from '../access/access.js';
import { Audit } from '../access/audit.js';
import { KeyRing } from '../access/key-ring.js';
import { decodeCursor, encodeCursor, page } from '../http/cursor.js';
import { CreateEndpoint, DeleteEndpoint, ReadEndpoint } from '../http/endpoint.js';
import { KeyIdPipe } from '../http/id.pipe.js';
import { Idempotency } from '../http/idempotency.js';
import { DEFAULT_LIMIT, ListQuery } from '../http/list.query.js';
import { CreateKeyRequest } from './create-key.request.js';
import { KeyListView, KeyView, NewKeyView } from './key.view.js';
import { keyOrder } from './key-order.js';
import { presentKey } from './present-key.js';

const ABOUT = `The answer has the key itself, in \`key\`, this one time: only its hash is kept. With an \`Idempotency-Key\` a repetition gets the same
answer without it.

A key is of one tenant, the one of whoever makes it. A key of the whole deployment (tenant \`*\`) may make keys of any tenant, and of \`*\`.`;

@ApiTags('access')
@Controller('api-keys')
export class ApiKeysController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly idempotency: Idempotency,
    private readonly ring: KeyRing,
    private readonly audit: Audit,
  ) {}

  @CreateEndpoint('', { summary: 'Make an API key', description: ABOUT, view: NewKeyView })
  async create(
    @Body() body: CreateKeyRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { text, prefix, hash } = newApiKey();
    const now = this.platform.clock.now();
    const order = { ...keyOrder(body, request.access, now), prefix, hash };
    const answer = await this.idempotency.answer(request, reply, async (session) => {
      const key = presentKey(await createKey(session, order, new Date(now)), now);
      await this.audit.write(session, request, {
        ...{ action: 'api_key.create', entity: 'api_key', entityId: key.id, after: key, tenantId: key.tenant },
      });
      return { status: 201, headers: { location: `/api/v1/api-keys/${key.id}` }, body: JSON.stringify(key) };
    });
    const isRepeated = reply.hasHeader('idempotency-replayed');
    // Only now: what is kept for repetitions must not have it.
    return JSON.stringify({ ...(JSON.parse(answer) as object), key: isRepeated ? null : text });
  }

  @ReadEndpoint('', { summary: 'List API keys, newest first; never the keys themselves', view: KeyListView })
  async list(@Query() { limit = DEFAULT_LIMIT, cursor }: ListQuery, @Req() request: FastifyRequest) {
    const { database, clock } = this.platform;
    const before = decodeCursor('api_key', cursor);
    const rows = await listKeys(database, {
      ...{ tenantId: tenantScope(request), limit: limit + 1 },
      before: before === undefined ? undefined : BigInt(before),
    });
    const now = clock.now();
    return page(
      rows,
      limit,
      (key) => presentKey(key, now),
      ({ id }) => encodeCursor('api_key', String(id)),
    );
  }

  @ReadEndpoint(':id', { summary: 'One API key', view: KeyView })
  async find(@Param('id', KeyIdPipe) id: bigint, @Req() request: FastifyRequest) {
    const { database, clock } = this.platform;
    return presentKey(await findKey(database.client, tenantScope(request), id), clock.now());
  }

  @DeleteEndpoint(':id', {
    summary: 'Revoke an API key',
    description: 'For good, and in every process within a second. One that is revoked already stays so.',
  })
  async revoke(@Param('id', KeyIdPipe) id: bigint, @Req() request: FastifyRequest): Promise<void> {
    const { database, clock } = this.platform;
    const now = clock.now();
    const prefix = await inTransaction(database, async (session) => {
      const key = await findKey(session, tenantScope(request), id);
      if (await revokeKey(session, id, new Date(now))) {
        const [before, after] = [presentKey(key, now), presentKey({ ...key, revokedAt: new Date(now) }, now)];
        const change = { action: 'api_key.revoke', entity: 'api_key' as const, entityId: String(id), before, after };
        await this.audit.write(session, request, { ...change, tenantId: key.tenantId });
      }
      return key.prefix;
    });
    this.ring.forget(prefix);
  }
}
