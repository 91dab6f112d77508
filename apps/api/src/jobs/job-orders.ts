import { Inject, Injectable } from '@nestjs/common';
import { type Session, Sql, taskIdsByName } from '#database';
import { InvalidInput } from '#domain';
import { PLATFORM, type Platform, type RunOrder } from '#pipeline';
import { checkedRequest } from '../http/validation.pipe.js';
import { orderFrom } from '../runs/run-fields.js';
import type { Admit } from '../runs/runs-on-demand.js';
import { JobRequest } from './job.request.js';

/** A job that is well-formed; whether there is such a type is not known yet. */
export interface Job {
  type: string;
  order: Omit<RunOrder, 'taskId'>;
}

/** Jobs name their task: what is asked for by name becomes orders by id. */
@Injectable()
export class JobOrders {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  /** Throws InvalidInput. */
  jobOf(request: JobRequest, traceId: string): Job {
    const order = orderFrom(request, this.platform.clock.now());
    return { type: request.type, order: { ...order, trigger: 'API', traceId } };
  }

  /** The same for what nobody has looked at yet; gives what is wrong with it instead of throwing it. */
  async checkedJob(given: unknown, traceId: string): Promise<Job | InvalidInput> {
    try {
      return this.jobOf(await checkedRequest(JobRequest, given), traceId);
    } catch (error) {
      if (error instanceof InvalidInput) return error;
      throw error;
    }
  }

  /** Admits all jobs together; null for those whose type is no task of the tenant. */
  async admit(session: Session, tenantId: string, jobs: readonly Job[], admit: Admit): ReturnType<Admit> {
    const sql = Sql.on(this.platform.database, session);
    const types = jobs.map(({ type }) => type);
    const ids = await taskIdsByName(sql, tenantId, types);
    const known = jobs.flatMap(({ type, order }) => {
      const taskId = ids.get(type);
      return taskId === undefined ? [] : [{ ...order, taskId }];
    });
    const runs = (await admit(known)).values();
    return jobs.map(({ type }) => (ids.has(type) ? (runs.next().value ?? null) : null));
  }
}

export const unknownType = (type: string): InvalidInput =>
  new InvalidInput([{ field: 'type', message: `there is no task named "${type}"` }]);
