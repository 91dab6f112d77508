import { Body, Controller, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '#domain';
import { CreateEndpoint } from '../http/endpoint.js';
import { problemOf } from '../http/problem-of.js';
import { problemBody } from '../http/problem.js';
import { tenantOf } from '../http/tenant.js';
import { RunView } from '../runs/run.view.js';
import { accepted, RunsOnDemand } from '../runs/runs-on-demand.js';
import { type Job, JobOrders, unknownType } from './job-orders.js';
import { JobRequest } from './job.request.js';
import { JobsBatchRequest } from './jobs-batch.request.js';
import { JobsBatchView } from './jobs.view.js';

const ABOUT = `\`type\` is the name of a task; one that is not there is 422 and names \`type\`. Everything else is as with \`POST /tasks/{id}/runs\`.`;

const ABOUT_BATCH = `Up to 1,000 jobs in one request, admitted together, in their order. \`items\` answers each in the same place: with its
run, or with the problem it would have been refused with by \`POST /jobs\`; one that is refused does not stop the others. The body may be
four times as large as others (\`BODY_LIMIT\`).

With an \`Idempotency-Key\` the whole answer is kept, problems included.`;

@ApiTags('jobs')
@Controller('jobs')
export class JobsController {
  constructor(
    private readonly orders: JobOrders,
    private readonly onDemand: RunsOnDemand,
  ) {}

  @CreateEndpoint('', {
    status: 202,
    summary: 'Submit a job by the name of its task',
    description: ABOUT,
    view: RunView,
  })
  submit(
    @Body() body: JobRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const job = this.orders.jobOf(body, request.id);
    return this.onDemand.answer(request, reply, { action: 'run.create' }, async (admit, session) => {
      const [run] = await this.orders.admit(session, tenantOf(request), [job], admit);
      if (run === null) throw unknownType(job.type);
      return accepted(run);
    });
  }

  @CreateEndpoint('batch', {
    ...{ status: 202, summary: 'Submit many jobs at once', description: ABOUT_BATCH, view: JobsBatchView },
  })
  async submitBatch(
    @Body() body: JobsBatchRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const checked = await Promise.all(body.jobs.map((job) => this.orders.checkedJob(job, request.id)));
    const jobs = checked.filter((one): one is Job => !(one instanceof InvalidInput));
    const shown = (problem: InvalidInput) => problemBody(problemOf(problem), request.id);
    return this.onDemand.answer(
      request,
      reply,
      { action: 'run.create', count: jobs.length },
      async (admit, session) => {
        const runs = (await this.orders.admit(session, tenantOf(request), jobs, admit)).values();
        const items = checked.map((one) =>
          one instanceof InvalidInput ? shown(one) : (runs.next().value ?? shown(unknownType(one.type))),
        );
        return { status: 202, headers: {}, body: JSON.stringify({ items }) };
      },
    );
  }
}
