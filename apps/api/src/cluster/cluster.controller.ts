import { Controller, Inject, Param, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { listNodes, setDraining } from '#database';
import { PLATFORM, type Platform } from '#pipeline';
import { Audit } from '../access/audit.js';
import { ActionEndpoint, ReadEndpoint } from '../http/endpoint.js';
import { TakesNoBody } from '../http/takes-no-body.js';
import { NodeIdPipe } from '../http/id.pipe.js';
import { NodeListView, NodeView } from './node.view.js';
import { presentNode } from './present-node.js';

@ApiTags('operating')
@Controller('cluster/nodes')
export class ClusterController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly audit: Audit,
  ) {}

  @ReadEndpoint('', {
    summary: 'The processes of this deployment',
    description: 'Those that stopped are gone from the list; those that died are forgotten after a day.',
    view: NodeListView,
  })
  async list() {
    return { items: (await listNodes(this.platform.database)).map(presentNode) };
  }

  @TakesNoBody()
  @ActionEndpoint(':id/drain', {
    summary: 'Have a process take nothing new',
    description:
      'It hears so with its next heartbeat, within three seconds. A worker finishes what it runs and takes neither runs nor notices; `drained` says when nothing is left. A scheduler stops turning due seconds into runs, and goes on answering requests. Both stay listed. Repeating it changes nothing.',
    view: NodeView,
  })
  drain(@Req() request: FastifyRequest, @Param('id', NodeIdPipe) id: string) {
    return this.setDraining(request, id, true);
  }

  @TakesNoBody()
  @ActionEndpoint(':id/undrain', {
    summary: 'Have a drained process take work again',
    view: NodeView,
  })
  undrain(@Req() request: FastifyRequest, @Param('id', NodeIdPipe) id: string) {
    return this.setDraining(request, id, false);
  }

  private async setDraining(request: FastifyRequest, id: string, draining: boolean) {
    const action = draining ? 'node.drain' : 'node.undrain';
    const change = {
      action,
      entity: 'node' as const,
      entityId: id,
      before: { draining: !draining },
      after: { draining },
    };
    const node = await setDraining(this.platform.database, id, draining, (sql) =>
      this.audit.writeOn(sql, request, change),
    );
    return presentNode(node);
  }
}
