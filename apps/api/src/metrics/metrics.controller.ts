import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { PLATFORM, type Platform } from '#pipeline';
import type { FastifyReply } from 'fastify';

@ApiTags('operating')
@Controller()
export class MetricsController {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  @Get('metrics')
  @ApiOperation({ summary: 'What this process has counted and measured, for Prometheus' })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'Prometheus’s text format', schema: { type: 'string' } })
  metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { metrics } = this.platform;
    void reply.header('content-type', metrics.contentType);
    return metrics.text();
  }
}
