import {
  acceptStarts,
  armCallbacks,
  cancelRun,
  claimRuns,
  type ClaimedRun,
  definitionOf,
  deleteTask,
  findCallback,
  findTask,
  inTransaction,
  keepLeases,
  type Prisma,
  replaceTask,
  retryRun,
  setTaskStatus,
  settleRuns,
} from '#database';
import {
  judgeCallback,
  NoFreeSlot,
  type RunStatus,
  type RunToDispatch,
  type SkipReason,
  TASK_DEFAULTS,
  type TaskDefinition,
} from '#domain';
import { AdmitRuns, type EnqueueRuns, type Platform, Rescue, Tick } from '#pipeline';
import { insertTask } from '#testing';
import { settlementOfCallback } from '../../libs/pipeline/src/callback/settlement-of-callback.js';
import { outcomeHash } from '../../libs/pipeline/src/callback/token.js';
import { settlementOf } from '../../libs/pipeline/src/settle/settlement-of.js';
import {
  CALLBACK_MS,
  LEASE_MS,
  type Product,
  retryPolicyOf,
  SAID,
  type Settled,
  type Snapshot,
  TICK_SETTINGS,
  VERDICTS,
} from './product.js';
import type { CallbackEnding, Definition, Ending, Policies } from './reference-task.js';

const tenantId = 'default';
const REASON = { errorCode: 'CANCELED', errorInfo: 'cancelled on request' };

/** The product itself, on a real database: its own transactions, at times the commands choose, with nobody listening to the queue. */
export class Stored implements Product {
  private time = 0;
  private readonly clock = { now: () => this.time };
  private readonly enqueue = { add: (_runs: RunToDispatch[]) => Promise.resolve() } as unknown as EnqueueRuns;
  private readonly ticker: Tick;
  private readonly rescuer: Rescue;
  private readonly demands: AdmitRuns;

  constructor(private readonly platform: Platform) {
    const { database, log, metrics } = platform;
    const { clock, enqueue } = this;
    const deaf = { send: () => undefined };
    this.ticker = new Tick(database, clock, enqueue, deaf, { ...TICK_SETTINGS, batchSize: 100 }, log, metrics);
    const nobody = { add: () => Promise.resolve() };
    this.rescuer = new Rescue(database, clock, { enqueue, notices: nobody, deadlines: nobody }, log, metrics);
    this.demands = new AdmitRuns(database, clock, enqueue);
  }

  /** Leaves nothing of earlier sequences due, also of those that failed halfway. */
  async forget(): Promise<void> {
    await this.client.taskState.updateMany({ where: { nextFireAt: { not: null } }, data: { nextFireAt: null } });
    await this.client.runAlarm.deleteMany();
  }

  async create(definition: Definition, nextFire: number): Promise<bigint> {
    const { maxAttempts: _maxAttempts, ...columns } = definition;
    const retryPolicyJson = { ...retryPolicyOf(definition) };
    const nextFireAt = new Date(nextFire * 1000);
    return (await insertTask(this.platform.database, { ...columns, retryPolicyJson, nextFireAt })).id;
  }

  async tick(now: number): Promise<void> {
    this.time = now;
    await this.ticker.runOnce();
  }

  trigger(taskId: bigint, now: number): Promise<string> {
    this.time = now;
    const order = { taskId, trigger: 'API' as const, traceId: '' };
    return inTransaction(this.platform.database, async (session) => {
      const [run] = await this.demands.admit(session, tenantId, [order]);
      return run!.id;
    });
  }

  async claim(runId: string, now: number): Promise<ClaimedRun | null> {
    const claimed = await claimRuns(this.platform.database, [runId], { node: 'node', now, leaseMs: LEASE_MS });
    return claimed.at(0) ?? null;
  }

  async settle(run: ClaimedRun, ending: Ending, definition: Definition, now: number): Promise<Settled> {
    const execution = { run, startedAt: now, finishedAt: now, verdict: VERDICTS[ending], call: null, outcome: null };
    const said = {
      retryPolicy: retryPolicyOf(definition),
      needManual: definition.needManual,
      logMode: 'trans_log' as const,
      notify: null,
    };
    const settlement = settlementOf({ ...execution, ...said }, 'node', 0.5);
    const { settled, released } = await settleRuns(this.platform.database, [settlement], now);
    return { settled: settled.has(run.id), released: released.map(({ id }) => id) };
  }

  async accept(run: ClaimedRun, now: number): Promise<boolean> {
    await this.arm(run, now);
    const times = { startedAt: now, finishedAt: now };
    const rest = {
      retryPolicy: retryPolicyOf({ maxAttempts: 1 }),
      needManual: false,
      logMode: 'trans_log' as const,
      notify: null,
    };
    const accepted = { run, ...times, ...rest, verdict: { kind: 'accepted' as const }, call: null, outcome: null };
    const waiting = await acceptStarts(this.platform.database, [settlementOf(accepted, 'node', 0.5)]);
    return waiting.length === 1;
  }

  async callBack(execution: ClaimedRun, ending: CallbackEnding, now: number): Promise<Settled> {
    const { database } = this.platform;
    await this.arm(execution, now);
    const run = (await findCallback(database, execution.id))!;
    const owner = run.tokens.find(({ execId }) => execId === execution.execId);
    const said = SAID[ending];
    const hash = outcomeHash(said);
    // One that ended before it had a token can have no callback.
    if (owner === undefined || judgeCallback({ ...run, attempt: owner }, hash) !== 'close')
      return { settled: false, released: [] };
    const settlement = settlementOfCallback({ run, owner, said, hash }, now, 0.5);
    const { settled, released } = await settleRuns(database, [settlement], now);
    return { settled: settled.has(run.id), released: released.map(({ id }) => id) };
  }

  /** Any task's run may be carried out as an ASYNC one: the token is what makes it so. */
  private async arm({ id: runId, execId, attempt, tenantId }: ClaimedRun, now: number): Promise<void> {
    const deadlines = { deadlineAt: now + CALLBACK_MS, heartbeatDeadlineAt: null };
    const tokenHash = '0'.repeat(64);
    await armCallbacks(this.platform.database, [
      { runId, execId, attempt, tenantId, tokenHash, startedAt: now, ...deadlines },
    ]);
  }

  async cancel(id: string, now: number): Promise<string[]> {
    const answer = await cancelRun(this.platform.database, { tenantId, id }, REASON, now);
    return answer!.released.map((run) => run.id);
  }

  async retry(id: string, now: number): Promise<boolean> {
    try {
      await retryRun(this.platform.database, { tenantId, id }, now);
      return true;
    } catch (error) {
      if (error instanceof NoFreeSlot) return false;
      throw error;
    }
  }

  async rescue(alive: ClaimedRun[], now: number): Promise<void> {
    this.time = now;
    if (alive.length > 0) await keepLeases(this.platform.database, alive, now + LEASE_MS);
    await this.rescuer.runOnce();
  }

  async change(id: bigint, policies: Partial<Policies>, now: number): Promise<string[]> {
    this.time = now;
    const stored = (await findTask(this.client, tenantId, id))!;
    const task = { ...saidOf(definitionOf(stored)), ...policies };
    const change = { tenantId, id, version: stored.row.version, task };
    return (await replaceTask(this.platform.database, this.clock, change)).released.map((run) => run.id);
  }

  async setEnabled(id: bigint, enabled: boolean, now: number): Promise<void> {
    this.time = now;
    const status = enabled ? 'ENABLED' : 'DISABLED';
    await setTaskStatus(this.platform.database, this.clock, { tenantId, id, status });
  }

  async delete(id: bigint, now: number): Promise<void> {
    this.time = now;
    await deleteTask(this.platform.database, this.clock, { tenantId, id });
  }

  async look(taskId: bigint): Promise<Snapshot> {
    const [state, runs] = await Promise.all([
      this.client.taskState.findUniqueOrThrow({ where: { taskId } }),
      this.client.taskRun.findMany({ where: { taskId }, orderBy: { id: 'asc' } }),
    ]);
    const { activeRuns, queuedRuns, nextFireAt } = state;
    return { activeRuns, queuedRuns, nextFire: nextFireAt && nextFireAt.getTime() / 1000, rows: runs.map(toRow) };
  }

  private get client() {
    return this.platform.database.client;
  }
}

function toRow(run: Prisma.TaskRunGetPayload<object>) {
  return {
    ...run,
    status: run.status as RunStatus,
    skipReason: run.skipReason as SkipReason | null,
    scheduledTime: run.scheduledTime.getTime(),
    missedFrom: run.missedFrom && run.missedFrom.getTime(),
  };
}

/** What a user may say about a task, without what else its row holds. */
function saidOf(task: TaskDefinition): TaskDefinition {
  const said = Object.entries(task).filter(([field]) => field === 'name' || field in TASK_DEFAULTS);
  return Object.fromEntries(said) as unknown as TaskDefinition;
}
