import { Body, Controller, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createBackfill, findTask, listBackfills, type Session, type StoredTask } from '#database';
import { backfillRange, NotFound, parseSchedule } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { Audit } from '../access/audit.js';
import { Quotas } from '../access/quotas.js';
import { decodeCursor, encodeCursor, page } from '../http/cursor.js';
import { CreateEndpoint, ReadEndpoint } from '../http/endpoint.js';
import { TaskIdPipe } from '../http/id.pipe.js';
import { Idempotency } from '../http/idempotency.js';
import { DEFAULT_LIMIT, ListQuery } from '../http/list.query.js';
import { tenantOf } from '../http/tenant.js';
import { BackfillRequest, DEFAULT_PARALLEL } from './backfill.request.js';
import { BackfillListView, BackfillView } from './backfill.view.js';
import { presentBackfill } from './present-backfill.js';

const ABOUT = `Makes runs, with trigger BACKFILL, for the due seconds from \`from\` to \`to\` that have none, oldest first and a few at a
time: at most \`max_parallel\` of them are unfinished at once. At most 10,000 due seconds; more is 422 and says how many there are.

The due seconds are those of the schedule as it is now, within \`start_at\` and \`end_at\`, also from before the task was created and
of a task that is disabled. A second that was MISSED, or that a COMPACT run stands for, has no run of its own; one that a policy skipped has its answer and is
left alone.
The runs hold slots and wait in line like others, but ignore \`overlap_action\` and \`max_lateness_seconds\`; where the concurrency
policy would skip one, the backfill waits.`;

@ApiTags('backfills')
@Controller('tasks/:id')
export class TaskBackfillsController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly idempotency: Idempotency,
    private readonly audit: Audit,
    private readonly quotas: Quotas,
  ) {}

  @CreateEndpoint('backfill', {
    status: 202,
    summary: 'Bring back the due seconds of a range',
    description: ABOUT,
    view: BackfillView,
    also: [404],
  })
  async create(
    @Param('id', TaskIdPipe) taskId: bigint,
    @Body() body: BackfillRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const quota = () => this.quotas.forRuns(tenantOf(request), 1);
    const make = async (session: Session) => {
      const task = await this.taskOf(session, request, taskId);
      const backfill = presentBackfill(await this.store(session, task, body, request.id));
      const { id: entityId, task_id, from, to, max_parallel } = backfill;
      const after = { task_id, from, to, max_parallel };
      await this.audit.write(session, request, { action: 'backfill.create', entity: 'backfill', entityId, after });
      const headers = { location: `/api/v1/backfills/${backfill.id}` };
      return { status: 202, headers, body: JSON.stringify(backfill) };
    };
    return this.idempotency.answer(request, reply, make, quota);
  }

  @ReadEndpoint('backfills', { summary: 'List the backfills of a task, newest first', view: BackfillListView })
  async list(@Param('id', TaskIdPipe) taskId: bigint, @Query() query: ListQuery, @Req() request: FastifyRequest) {
    const { limit = DEFAULT_LIMIT, cursor } = query;
    const { database } = this.platform;
    await this.taskOf(database.client, request, taskId);
    const before = decodeCursor('backfill', cursor);
    const rows = await listBackfills(database, {
      ...{ tenantId: tenantOf(request), taskId, limit: limit + 1 },
      before: before === undefined ? undefined : BigInt(before),
    });
    return page(rows, limit, presentBackfill, ({ id }) => encodeCursor('backfill', String(id)));
  }

  private async taskOf(session: Session, request: FastifyRequest, id: bigint): Promise<StoredTask> {
    const task = await findTask(session, tenantOf(request), id);
    if (task === null) throw new NotFound('task', String(id));
    return task;
  }

  private store(session: Session, { row }: StoredTask, body: BackfillRequest, traceId: string) {
    const { id: taskId, tenantId, cronExpr, timezone } = row;
    const now = new Date(this.platform.clock.now());
    const [from, to] = [new Date(body.from), new Date(body.to)];
    const schedule = cronExpr === null ? null : parseSchedule(cronExpr, timezone);
    const [startAt, endAt] = [row.startAt && seconds(row.startAt), row.endAt && seconds(row.endAt)];
    const range = backfillRange({ schedule, from: seconds(from), to: seconds(to), startAt, endAt, now: seconds(now) });
    const maxParallel = body.max_parallel ?? DEFAULT_PARALLEL;
    const asked = { tenantId, taskId, cronExpr: cronExpr ?? '', timezone, from, to, maxParallel, traceId, range };
    return createBackfill(session, asked, now);
  }
}

const seconds = (time: Date): number => time.getTime() / 1000;
