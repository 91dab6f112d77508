import { Controller, Inject, Param, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { type AnyRun, findTask, rowsOfSecond, type SecondRows, type StoredTask } from '#database';
import {
  explain,
  type ExplainFacts,
  forgottenBefore,
  NotFound,
  parseSchedule,
  type RetentionAges,
  type RunFact,
  type Schedule,
} from '#domain';
import { PLATFORM, type Platform, retentionPolicy } from '#pipeline';
import { ReadEndpoint } from '../http/endpoint.js';
import { TaskIdPipe } from '../http/id.pipe.js';
import { tenantOf } from '../http/tenant.js';
import { ExplainQuery } from './explain.query.js';
import { ExplainView } from './explain.view.js';
import { presentExplanation, type RunWithFact } from './present-explanation.js';

const MEANINGS = `What is on record speaks first, then the task as it is now:

- \`FIRED\`: there is a run of that second, or a COMPACT run that stands for it.
- \`SKIPPED\`: a policy said no; \`skip_reason\` and \`blocked_by\` say which and why.
- \`MISSED\`: nothing was scheduling then; the row of the gap says from when and how many.
- \`DISABLED\`: the task is disabled (a second from before that, which was not due anyway, is \`NOT_DUE\`); or the second would be
  due, but lies before the task was created, outside \`start_at\` and \`end_at\`, or at a time when the task was disabled or had another
  schedule.
- \`DST_GAP\`, \`DST_FOLD\`: it did not fire because clocks changed. A second that fired at a change is FIRED, and says so.
- \`NOT_DUE\`: not a second of the schedule, or one still to come (\`next_due\` is then that second itself). \`@every\` has no grid
  of its own: only runs and the planned second speak for it.
- \`FORGOTTEN\`: it was due so long ago that its run may have been deleted, and there is none on record (\`RETENTION_*\`).`;

@ApiTags('tasks')
@Controller('tasks/:id/explain')
export class ExplainController {
  private readonly ages: RetentionAges;

  constructor(@Inject(PLATFORM) private readonly platform: Platform) {
    this.ages = retentionPolicy(platform.config);
  }

  @ReadEndpoint('', { summary: 'Why a second did or did not fire', description: MEANINGS, view: ExplainView })
  async explain(@Param('id', TaskIdPipe) id: bigint, @Query() query: ExplainQuery, @Req() request: FastifyRequest) {
    const { database, clock } = this.platform;
    const at = secondOf(new Date(query.at));
    const task = await findTask(database.client, tenantOf(request), id);
    if (task === null) throw new NotFound('task', String(id));
    const now = clock.now() / 1000;
    const schedule = scheduleOf(task);
    const wasDue = schedule !== null && at <= now && schedule.matches(at);
    const rows = await rowsOfSecond(database, { taskId: id, second: at, wasDue });
    const forgotten = forgottenBefore(this.ages, clock.now());
    const facts = { ...factsOf(task, rows), forgottenBefore: forgotten && forgotten / 1000 };
    return presentExplanation(at, explain({ ...facts, schedule, at, now }));
  }
}

function scheduleOf({ row }: StoredTask): Schedule | null {
  return row.cronExpr === null ? null : parseSchedule(row.cronExpr, row.timezone);
}

function factsOf({ row }: StoredTask, rows: SecondRows): Omit<ExplainFacts<RunWithFact>, 'at' | 'now' | 'schedule'> {
  return {
    enabled: row.status === 'ENABLED',
    createdAt: seconds(row.createdAt),
    changedAt: seconds(row.updatedAt),
    startAt: row.startAt && seconds(row.startAt),
    endAt: row.endAt && seconds(row.endAt),
    nextFireAt: row.nextFireAt && secondOf(row.nextFireAt),
    run: rows.run && runFact(rows.run),
    gap: rows.gap && runFact(rows.gap),
  };
}

/** The words of the closed sets were checked by the database. */
function runFact(row: AnyRun): RunWithFact {
  return {
    ...(row as AnyRun & Pick<RunFact, 'trigger' | 'status' | 'skipReason'>),
    scheduledTime: secondOf(row.scheduledTime),
    missedFrom: row.missedFrom && secondOf(row.missedFrom),
    row,
  };
}

const seconds = (time: Date): number => time.getTime() / 1000;
const secondOf = (time: Date): number => Math.floor(seconds(time));
