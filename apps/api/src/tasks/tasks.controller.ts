import { Body, Controller, Headers, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createTask, deleteTask, findTask, listTasks, type StoredTask } from '#database';
import { type Deployment, NotFound } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { Audit } from '../access/audit.js';
import { Quotas } from '../access/quotas.js';
import { decodeCursor, encodeCursor, page } from '../http/cursor.js';
import { CreateEndpoint, DeleteEndpoint, PatchEndpoint, ReadEndpoint, ReplaceEndpoint } from '../http/endpoint.js';
import { TaskIdPipe } from '../http/id.pipe.js';
import { Idempotency } from '../http/idempotency.js';
import { DEFAULT_LIMIT } from '../http/list.query.js';
import { tenantOf } from '../http/tenant.js';
import { etagOf, expectedVersion } from '../http/version.js';
import { CreateTaskRequest } from './create-task.request.js';
import { definitionFrom, emptyTask } from './definition-from.js';
import { ListTasksQuery } from './list-tasks.query.js';
import { PatchTaskRequest } from './patch-task.request.js';
import { presentTask } from './present-task.js';
import { ReplaceTaskRequest } from './replace-task.request.js';
import { sealSecrets } from './seal-headers.js';
import { changedTask, TaskEditor } from './task-editor.js';
import { TaskListView, TaskView } from './task.view.js';

@ApiTags('tasks')
@Controller('tasks')
export class TasksController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly editor: TaskEditor,
    private readonly idempotency: Idempotency,
    private readonly audit: Audit,
    private readonly quotas: Quotas,
  ) {}

  @CreateEndpoint('', { summary: 'Create a task', view: TaskView })
  create(
    @Body() body: CreateTaskRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { clock, secrets } = this.platform;
    const sealing = { secrets, tenantId: tenantOf(request), now: clock.now() };
    const definition = sealSecrets(definitionFrom(body, emptyTask(body.name), this.deployment), sealing);
    return this.idempotency.answer(request, reply, async (session) => {
      await this.quotas.forTask(session, tenantOf(request));
      const stored = await createTask(session, tenantOf(request), definition, new Date(clock.now()));
      await this.audit.taskCreated(session, request, stored);
      const task = presentTask(stored);
      const headers = { location: `/api/v1/tasks/${task.id}`, etag: etagOf(task.version) };
      return { status: 201, headers, body: JSON.stringify(task) };
    });
  }

  @ReadEndpoint('', { summary: 'List tasks, newest first', view: TaskListView })
  async list(@Query() query: ListTasksQuery, @Req() request: FastifyRequest) {
    const { limit = DEFAULT_LIMIT, cursor, ...filters } = query;
    const before = decodeCursor('task', cursor);
    const rows = await listTasks(this.platform.database, {
      ...filters,
      tenantId: tenantOf(request),
      before: before === undefined ? undefined : BigInt(before),
      limit: limit + 1,
    });
    return page(rows, limit, presentTask, ({ row }) => encodeCursor('task', String(row.id)));
  }

  @ReadEndpoint(':id', { summary: 'One task', view: TaskView })
  async find(
    @Param('id', TaskIdPipe) id: bigint,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const task = await findTask(this.platform.database.client, tenantOf(request), id);
    if (task === null) throw new NotFound('task', String(id));
    return withETag(reply, task);
  }

  @ReplaceEndpoint(':id', { summary: 'Replace a task: what is left out goes back to its default', view: TaskView })
  async replace(
    @Param('id', TaskIdPipe) id: bigint,
    @Body() { version, ...body }: ReplaceTaskRequest,
    @Headers('if-match') ifMatch: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const task = await this.editor.edit({
      tenantId: tenantOf(request),
      id,
      version: expectedVersion(version, ifMatch),
      change: (stored) => changedTask({ request: body, stored, base: emptyTask(body.name) }, this.deployment),
      witness: this.audit.taskWitness(request, 'task.replace'),
    });
    return withETag(reply, task);
  }

  @PatchEndpoint(':id', { summary: 'Change some fields of a task; null brings back a default', view: TaskView })
  async patch(
    @Param('id', TaskIdPipe) id: bigint,
    @Body() { version, ...body }: PatchTaskRequest,
    @Headers('if-match') ifMatch: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const task = await this.editor.edit({
      tenantId: tenantOf(request),
      id,
      version: expectedVersion(version, ifMatch),
      change: (stored) => changedTask({ request: body, stored, base: stored }, this.deployment),
      witness: this.audit.taskWitness(request, 'task.patch'),
    });
    return withETag(reply, task);
  }

  @DeleteEndpoint(':id', { summary: 'Delete a task: its name becomes free, its unfinished runs are cancelled' })
  async remove(
    @Param('id', TaskIdPipe) id: bigint,
    @Headers('if-match') ifMatch: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    const version = expectedVersion(undefined, ifMatch);
    const { database, clock, queue, metrics } = this.platform;
    const witness = this.audit.taskWitness(request, 'task.delete');
    const deletion = { tenantId: tenantOf(request), id, version, witness };
    const { canceled, executions } = await deleteTask(database, clock, deletion);
    queue.signals.send({ cancel: executions });
    metrics.canceled(canceled, 'TASK_DELETED');
  }

  private get deployment(): Deployment {
    return { shell: this.platform.config.shellExecutor };
  }
}

function withETag(reply: FastifyReply, task: StoredTask) {
  void reply.header('etag', etagOf(task.row.version));
  return presentTask(task);
}
