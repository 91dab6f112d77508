import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ServerProbe } from '#pipeline';

const status = (word: string) => ({ type: 'string', enum: [word] });
const ALIVE = { type: 'object', properties: { status: status('ok') } };
const CHECK = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } }, additionalProperties: true };
const readiness = (word: string) => ({
  type: 'object',
  properties: { status: status(word), checks: { type: 'object', additionalProperties: CHECK } },
});

@ApiTags('operating')
@Controller()
export class HealthController {
  constructor(private readonly probe: ServerProbe) {}

  @Get('healthz')
  @ApiOperation({ summary: 'The process is alive' })
  @ApiResponse({ status: 200, description: 'it is', schema: ALIVE })
  health() {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({ summary: 'The process and what it stands on are ready; says which part is away' })
  @ApiResponse({ status: 200, description: 'they are', schema: readiness('ready') })
  @ApiResponse({ status: 503, description: 'a part is away', schema: readiness('not ready') })
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const { ready, checks } = await this.probe.look();
    void reply.status(ready ? 200 : 503);
    return { status: ready ? 'ready' : 'not ready', checks };
  }
}
