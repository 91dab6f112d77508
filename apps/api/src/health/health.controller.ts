import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ServerProbe } from '#pipeline';

@ApiTags('operating')
@Controller()
export class HealthController {
  constructor(private readonly probe: ServerProbe) {}

  @Get('healthz')
  @ApiOperation({ summary: 'The process is alive' })
  health() {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({ summary: 'The process and what it stands on are ready; says which part is away' })
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const { ready, checks } = await this.probe.look();
    void reply.status(ready ? 200 : 503);
    return { status: ready ? 'ready' : 'not ready', checks };
  }
}
