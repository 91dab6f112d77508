import { Controller, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ReadEndpoint } from '../http/endpoint.js';
import { tenantOf } from '../http/tenant.js';
import { Stats } from './stats.js';
import { StatsView } from './stats.view.js';

const ABOUT = `For people and small scripts; \`/metrics\` is for Prometheus. What it costs does not grow with the history: \`open\` is counted by index up to
10,000 each, everything else is worked out from the newest 10,000 runs that were due in the last hour, and \`window\` says from when on that is. An answer serves for five
seconds.`;

@ApiTags('operating')
@Controller('stats')
export class StatsController {
  constructor(private readonly stats: Stats) {}

  @ReadEndpoint('', { summary: 'How the runs are doing', description: ABOUT, view: StatsView })
  find(@Req() request: FastifyRequest): Promise<StatsView> {
    return this.stats.of(tenantOf(request));
  }
}
