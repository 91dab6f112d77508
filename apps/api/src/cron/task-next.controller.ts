import { Controller, Inject, Param, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { findTask } from '#database';
import { NotFound, parseSchedule, type Schedule } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { ReadEndpoint } from '../http/endpoint.js';
import { TaskIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { NextView } from './cron.view.js';
import { nextFires } from './next-fires.js';
import { NextQuery } from './next.query.js';
import { DEFAULT_COUNT } from './preview.request.js';

@ApiTags('cron')
@Controller('tasks/:id/next')
export class TaskNextController {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  @ReadEndpoint('', {
    summary: 'When a task fires next; nothing for one that is disabled or runs on demand',
    view: NextView,
  })
  async next(
    @Param('id', TaskIdPipe) id: bigint,
    @Query() { count = DEFAULT_COUNT, from }: NextQuery,
    @Req() request: FastifyRequest,
  ) {
    const task = await findTask(this.platform.database.client, tenantOf(request), id);
    if (task === null) throw new NotFound('task', String(id));
    const { cronExpr, timezone, nextFireAt } = task.row;
    if (cronExpr === null || nextFireAt === null) return { next: [] };
    const schedule = parseSchedule(cronExpr, timezone);
    const since = new Date(from ?? this.platform.clock.now());
    return { next: nextFires(schedule, onGrid(schedule, nextFireAt, since), count, task.row) };
  }
}

/** `@every` has no grid of its own: its fires are counted from the one that is planned. */
function onGrid({ every }: Schedule, planned: Date, since: Date): Date {
  if (every === undefined) return since;
  const steps = Math.floor((since.getTime() - planned.getTime()) / (every * 1000));
  return new Date(planned.getTime() + steps * every * 1000);
}
