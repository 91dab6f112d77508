import {
  advanceTasks,
  type Clock,
  type Database,
  insertRuns,
  isColdRun,
  lockLiveTasks,
  type NewRun,
  type Session,
  Sql,
  type TaskFacts,
} from '#database';
import { startsAt } from '#domain';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { Watch } from '../trace/watch.js';
import { decideOrders, type RunOrder } from './decide-orders.js';
import { letPass } from './let-pass.js';

/** When they were asked for, and the span of whoever asked. */
export interface Asked {
  at: number;
  spanId?: string;
}

/**
 * Runs on demand, under their tasks' concurrency policies like any others. However many are asked for together, they are
 * the same few statements: lock the tasks, write the runs, move the counters.
 */
export class AdmitRuns {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
    private readonly watch: Watch = {},
  ) {}

  /**
   * Admits runs inside the caller's transaction, in the order they are given; null where the tenant has no such task. The
   * caller tells the queue with `announce` once it has committed.
   */
  async admit(session: Session, tenantId: string, orders: readonly RunOrder[]): Promise<(NewRun | null)[]> {
    const sql = Sql.on(this.database, session);
    const tasks = await lockLiveTasks(
      sql,
      orders.map(({ taskId }) => taskId),
    );
    const now = this.clock.now();
    const owned = ownedBy(tenantId, tasks);
    await letPass(sql, owned, askedNow(orders, now), now);
    const { runs, advances } = decideOrders(owned, orders, now);
    const admitted = runs.filter((run) => run !== null);
    await insertRuns(sql, admitted);
    if (advances.length > 0) await advanceTasks(sql, advances);
    return runs;
  }

  /** What waits for a slot, or for its time, is told later by whoever ends the wait. */
  async announce(runs: readonly NewRun[], asked?: Asked): Promise<void> {
    this.watch.metrics?.admitted(runs);
    if (asked) this.watch.tracing?.admitted(runs, asked.spanId, { start: asked.at, end: this.clock.now() });
    await this.enqueue.add(runs.filter((run) => run.status === 'SCHEDULED' && !isColdRun(run)));
  }
}

const ownedBy = (tenantId: string, tasks: ReadonlyMap<bigint, TaskFacts>): Map<bigint, TaskFacts> =>
  new Map([...tasks].filter(([, task]) => task.tenantId === tenantId));

/** The tasks of those that do not start later. */
const askedNow = (orders: readonly RunOrder[], now: number): bigint[] =>
  orders.filter((order) => startsAt(order.startTime?.getTime(), now) === now).map((order) => order.taskId);
