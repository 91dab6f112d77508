import { Body, Controller, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { cronProblems, describeSchedule, InvalidInput, parseSchedule } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { AskEndpoint } from '../http/endpoint.js';
import { PreviewView } from './cron.view.js';
import { nextFires } from './next-fires.js';
import { DEFAULT_COUNT, PreviewRequest } from './preview.request.js';

@ApiTags('cron')
@Controller('cron')
export class CronController {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  @AskEndpoint('preview', { summary: 'What a cron expression means and when it fires next', view: PreviewView })
  preview(@Body() { cron_expr, timezone, from, count }: PreviewRequest) {
    const problems = cronProblems(cron_expr, timezone ?? 'UTC');
    if (problems.length > 0) throw new InvalidInput(problems);
    const schedule = parseSchedule(cron_expr, timezone ?? 'UTC');
    const since = from ? new Date(from) : new Date(this.platform.clock.now());
    return {
      normalized: schedule.normalized,
      description: describeSchedule(schedule),
      next: nextFires(schedule, since, count ?? DEFAULT_COUNT),
    };
  }
}
