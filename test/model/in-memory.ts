import type { ClaimedRun, DueTask, NewRun, TaskAdvance, TaskFacts } from '#database';
import {
  admit,
  closeExecution,
  hasFreeSlot,
  judgeCallback,
  onDemandRunId,
  rememberEnded,
  type RunStatus,
  verdictOfCallback,
} from '#domain';
import { decideBatch } from '../../libs/pipeline/src/tick/decide-batch.js';
import { settlementOf } from '../../libs/pipeline/src/settle/settlement-of.js';
import {
  blockerOf,
  byId,
  factsOf,
  freeSlots,
  holdsSlot,
  isUnfinished,
  type Memory,
  type MemoryRow,
} from './in-memory-rows.js';
import {
  CALLBACK_MS,
  LEASE_MS,
  type Product,
  retryPolicyOf,
  type Row,
  SAID,
  type Settled,
  type Snapshot,
  TICK_SETTINGS,
  VERDICTS,
} from './product.js';
import type { CallbackEnding, Definition, Ending, Policies } from './reference-task.js';

/** The product's decisions over rows in memory: each method is what one transaction of the product does. */
export class InMemory implements Product {
  private readonly tasks = new Map<bigint, Memory>();
  private readonly rows = new Map<string, { row: MemoryRow; of: Memory }>();
  private executions = 0;
  private demands = 0;

  create(definition: Definition, nextFire: number): Promise<bigint> {
    const id = BigInt(this.tasks.size + 1);
    this.tasks.set(id, { facts: factsOf(id, definition, nextFire), rows: [], needManual: definition.needManual });
    return Promise.resolve(id);
  }

  tick(now: number): Promise<void> {
    const due = [...this.tasks.values()].map(({ facts }) => facts).filter((facts) => isDue(facts, now));
    const stored = new Map(due.map(({ id }) => [id, this.task(id).rows.filter(isUnfinished)]));
    const batch = decideBatch(due, { now, at: now, settings: TICK_SETTINGS, newTraceId: () => '' });
    for (const run of batch.runs) this.insert(this.task(run.taskId), run);
    for (const { taskId, inBatch } of batch.replacements) {
      const replaced = [...stored.get(taskId)!, ...inBatch.map((id) => this.found(id).row)];
      for (const row of replaced) row.status = 'CANCELED';
    }
    for (const advance of batch.advances) move(this.task(advance.id).facts, advance);
    for (const { taskId } of batch.replacements) remember(this.task(taskId), stored.get(taskId)!);
    return Promise.resolve();
  }

  trigger(taskId: bigint, now: number): Promise<string> {
    const task = this.task(taskId);
    const verdict = admit(task.facts, 'on_demand');
    const suffix = String(this.demands++).padStart(6, '0');
    const id = onDemandRunId(Math.floor(now / 1000), taskId, suffix);
    const status = verdict.kind === 'skip' ? 'SKIPPED' : verdict.kind === 'queue' ? 'QUEUED' : 'SCHEDULED';
    const skipReason = verdict.kind === 'skip' ? verdict.reason : null;
    const run = { id, trigger: 'API' as const, scheduledTime: now, tickAttempt: verdict.tickAttempt };
    const maxAttempts = task.facts.retryPolicy.max_attempts ?? 1;
    this.insert(task, { ...run, status, skipReason, maxAttempts, missedFrom: null, missedCount: null });
    if (status === 'SCHEDULED') task.facts.activeRuns += 1;
    if (status === 'QUEUED') task.facts.queuedRuns += 1;
    task.facts.lastRunId = id;
    return Promise.resolve(id);
  }

  claim(runId: string, now: number): Promise<ClaimedRun | null> {
    const { row, of } = this.found(runId);
    if (row.status !== 'SCHEDULED' && row.status !== 'RETRYING') return Promise.resolve(null);
    row.attempt += 1;
    Object.assign(row, { status: 'RUNNING', execId: `exec-${++this.executions}`, wakeAt: now + LEASE_MS });
    const { attempt, tickAttempt, maxAttempts, execId, trigger } = row;
    const claimed = { id: runId, taskId: of.facts.id, attempt, tickAttempt, maxAttempts, execId, trigger };
    return Promise.resolve(claimed as ClaimedRun);
  }

  settle(execution: ClaimedRun, ending: Ending, definition: Definition, now: number): Promise<Settled> {
    const { row, of } = this.found(execution.id);
    const finished = { run: execution, startedAt: now, finishedAt: now, verdict: VERDICTS[ending] };
    const rest = {
      retryPolicy: retryPolicyOf(definition),
      needManual: of.needManual,
      call: null,
      outcome: null,
      logMode: 'trans_log' as const,
      notify: null,
    };
    const settlement = settlementOf({ ...finished, ...rest }, 'node', 0.5);
    if (row.status !== 'RUNNING' || row.execId !== execution.execId) {
      return Promise.resolve({ settled: false, released: [] });
    }
    return Promise.resolve({ settled: true, released: this.close(of, row, settlement.status) });
  }

  accept(execution: ClaimedRun, now: number): Promise<boolean> {
    const { row } = this.found(execution.id);
    const isOpen = row.status === 'RUNNING' && row.execId === execution.execId;
    if (isOpen) Object.assign(row, { status: 'WAITING_CALLBACK', wakeAt: now + CALLBACK_MS });
    return Promise.resolve(isOpen);
  }

  callBack(execution: ClaimedRun, ending: CallbackEnding, now: number): Promise<Settled> {
    const { row, of } = this.found(execution.id);
    const facts = { status: row.status, execId: row.execId, attempt: { execId: execution.execId, outcomeHash: null } };
    if (judgeCallback(facts, '') !== 'close') return Promise.resolve({ settled: false, released: [] });
    const { status } = closeExecution(verdictOfCallback(SAID[ending]), closingFacts(of, row), now, 0.5);
    return Promise.resolve({ settled: true, released: this.close(of, row, status) });
  }

  cancel(runId: string): Promise<string[]> {
    const { row, of } = this.found(runId);
    return Promise.resolve(isUnfinished(row) ? this.close(of, row, 'CANCELED') : []);
  }

  retry(runId: string): Promise<boolean> {
    const { row, of } = this.found(runId);
    if (!hasFreeSlot(of.facts)) return Promise.resolve(false);
    Object.assign(row, { status: 'RETRYING', maxAttempts: row.maxAttempts + 1 });
    of.facts.activeRuns += 1;
    return Promise.resolve(true);
  }

  rescue(alive: ClaimedRun[], now: number): Promise<void> {
    for (const { id } of alive) this.found(id).row.wakeAt = now + LEASE_MS;
    for (const { row, of } of this.rows.values()) {
      if (row.wakeAt > now) continue;
      if (row.status === 'WAITING_CALLBACK') {
        const timeout = { kind: 'timeout', errorInfo: '' } as const;
        this.close(of, row, closeExecution(timeout, closingFacts(of, row), now, 0.5).status);
      }
      if (row.status !== 'RUNNING') continue;
      const again = row.attempt < row.maxAttempts;
      this.close(of, row, again ? 'RETRYING' : of.needManual ? 'PENDING' : 'FAILED');
    }
    return Promise.resolve();
  }

  change(taskId: bigint, policies: Partial<Policies>): Promise<string[]> {
    const task = this.task(taskId);
    Object.assign(task.facts, policies);
    return Promise.resolve(freeSlots(task));
  }

  setEnabled(taskId: bigint, enabled: boolean, now: number): Promise<void> {
    const { facts } = this.task(taskId);
    if (enabled !== (facts.nextFireAt !== null))
      facts.nextFireAt = enabled ? (Math.floor(now / 1000) + 1) * 1000 : null;
    return Promise.resolve();
  }

  delete(taskId: bigint): Promise<void> {
    const { facts, rows } = this.task(taskId);
    for (const row of rows.filter(isUnfinished)) row.status = 'CANCELED';
    Object.assign(facts, { nextFireAt: null, activeRuns: 0, queuedRuns: 0 });
    return Promise.resolve();
  }

  look(taskId: bigint): Promise<Snapshot> {
    const { facts, rows } = this.task(taskId);
    const { activeRuns, queuedRuns, nextFireAt } = facts;
    const sorted = rows.map((row) => ({ ...row })).sort(byId);
    return Promise.resolve({ rows: sorted, activeRuns, queuedRuns, nextFire: nextFireAt && nextFireAt / 1000 });
  }

  private insert(task: Memory, run: Pick<NewRun, Exclude<keyof NewRun & keyof Row, 'attempt'> | 'maxAttempts'>): void {
    const row = {
      attempt: 0,
      execId: null,
      wakeAt: 0,
      ...run,
      blockedBy: run.blockedBy ?? blockerOf(task, run.skipReason),
    };
    task.rows.push(row);
    this.rows.set(run.id, { row, of: task });
  }

  /** The run, what its task counts and remembers, and who takes the slot. */
  private close(task: Memory, row: MemoryRow, status: RunStatus): string[] {
    if (holdsSlot(row)) task.facts.activeRuns -= status === 'RETRYING' ? 0 : 1;
    else task.facts.queuedRuns -= 1;
    row.status = status;
    remember(task, [row]);
    return freeSlots(task);
  }

  private found(runId: string) {
    return this.rows.get(runId)!;
  }

  private task(id: bigint): Memory {
    return this.tasks.get(id)!;
  }
}

const closingFacts = ({ facts, needManual }: Memory, { attempt, maxAttempts }: MemoryRow) => ({
  ...{ retryPolicy: facts.retryPolicy, needManual, attempt, maxAttempts, httpStatus: null, retryAfter: undefined },
});

const isDue = (facts: TaskFacts, now: number): facts is DueTask => facts.nextFireAt !== null && facts.nextFireAt <= now;

function move(facts: TaskFacts, { nextFireAt, active, queued, lastRunId, failureSkipped }: TaskAdvance): void {
  facts.nextFireAt = nextFireAt;
  facts.activeRuns += active;
  facts.queuedRuns += queued;
  facts.lastRunId = lastRunId ?? facts.lastRunId;
  facts.failureSkipped = failureSkipped ?? facts.failureSkipped;
}

/** Those of the rows that were executed and have ended. */
function remember({ facts }: Memory, rows: MemoryRow[]): void {
  const ended = rows.filter((row) => row.attempt > 0 && !isUnfinished(row));
  Object.assign(facts, rememberEnded(facts, ended));
}
