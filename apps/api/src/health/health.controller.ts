import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type ReadinessCheck, readinessOf } from './readiness.js';

/** The list of checks; more may be put into it. */
export const READINESS_CHECKS = Symbol('readiness checks');

@ApiTags('operating')
@Controller()
export class HealthController {
  constructor(@Inject(READINESS_CHECKS) private readonly checks: ReadinessCheck[]) {}

  @Get('healthz')
  @ApiOperation({ summary: 'The process is alive' })
  health() {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({ summary: 'The process and what it stands on are ready; says which part is away' })
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const { ready, ...answer } = await readinessOf(this.checks);
    void reply.status(ready ? 200 : 503);
    return answer;
  }
}
