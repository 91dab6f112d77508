import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, findRuns, type NewRun, type Session } from '#database';
import { AdmitRuns, type Asked, PLATFORM, type Platform, type RunOrder } from '#pipeline';
import { Audit, type Change } from '../access/audit.js';
import { Quotas } from '../access/quotas.js';
import { Idempotency } from '../http/idempotency.js';
import { spanOf } from '../http/request-spans.js';
import { tenantOf } from '../http/tenant.js';
import { presentRun } from './present-run.js';

type Presented = ReturnType<typeof presentRun>;

/** Admits what a request asks for; gives each run as the outside sees it, or null where there is no such task. */
export type Admit = (orders: readonly RunOrder[]) => Promise<(Presented | null)[]>;

/** How many runs a request asks for, and what it is called in the audit log. */
export interface Demand {
  action: 'run.create' | 'run.replay';
  count?: number;
}

/** Answers requests for runs: admitted in the transaction that keeps the answer, told to the queue after it. */
@Injectable()
export class RunsOnDemand {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly runs: AdmitRuns,
    private readonly idempotency: Idempotency,
    private readonly quotas: Quotas,
    private readonly audit: Audit,
  ) {}

  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { action, count = 1 }: Demand,
    work: (admit: Admit, session: Session) => Promise<Answer>,
  ): Promise<string> {
    let admitted: NewRun[] = [];
    const at = this.platform.clock.now();
    const make = (session: Session) => {
      // Anew at each try of the transaction.
      admitted = [];
      return work(async (orders) => {
        const runs = await this.runs.admit(session, tenantOf(request), orders);
        admitted = runs.filter((run) => run !== null);
        return presented(session, runs);
      }, session);
    };
    const quota = () => this.quotas.forRuns(tenantOf(request), count);
    const answer = await this.idempotency.answer(request, reply, make, quota);
    await this.announce(admitted, { at, spanId: spanOf(request) });
    if (admitted.length > 0) await this.audit.demanded(request, demandedRuns(action, admitted));
    return answer;
  }

  /** The runs are committed; should the queue not hear of them, rescue brings them there. */
  private async announce(runs: readonly NewRun[], asked: Asked): Promise<void> {
    await this.runs.announce(runs, asked).catch((error: unknown) => {
      const { id, traceId } = runs[0];
      const about = { err: error, run_id: id, runs: runs.length, trace_id: traceId };
      this.platform.log.warn(about, 'runs were not announced to the queue');
    });
  }
}

/** One entry for a request, however many runs it made. */
function demandedRuns(action: string, runs: readonly NewRun[]): Change {
  const made = runs.map(({ id, taskId, status }) => ({ id, task_id: String(taskId), status }));
  return { action, entity: 'run', entityId: runs[0].id, after: made.length === 1 ? made[0] : { runs: made } };
}

async function presented(session: Session, runs: readonly (NewRun | null)[]): Promise<(Presented | null)[]> {
  const ids = runs.flatMap((run) => (run === null ? [] : [run.id]));
  const rows = (await findRuns(session, ids)).map(presentRun);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return runs.map((run) => (run === null ? null : (byId.get(run.id) ?? null)));
}

/** The answer that is one new run. */
export function accepted(run: Presented): Answer {
  return { status: 202, headers: { location: `/api/v1/runs/${run.id}` }, body: JSON.stringify(run) };
}
