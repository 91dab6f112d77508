import { setTimeout as pause } from 'node:timers/promises';
import {
  acceptStarts,
  type Clock,
  type Database,
  faultOf,
  isLockWait,
  type Settlement,
  settleRuns,
  type WaitingRun,
} from '#database';
import type { AlertRules } from '#domain';
import type { Logger } from 'pino';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { EnqueueNotices } from '../notify/enqueue-notices.js';
import type { Tracing } from '../trace/tracing.js';
import { Aside } from './aside.js';
import { boundLogs } from './bound-logs.js';
import { MOST, SettleLane } from './settle-lane.js';
import { skipLate } from './skip-late.js';

/** About how many characters one transaction writes at most: MySQL and MariaDB take 16 MB at once, and a callback may bring one. */
const MOST_TEXT = 4_000_000;
const WAIT_MS = { first: 25, most: 2_000 };
/** Most of what a statement costs is the statement itself, so a few results wait a moment for others that are under way. */
const SOON = { enough: 40, waitMs: 6 };
/** While runs wait for their call, results wait for them: they are no later for anybody, and a second's calls go out together. */
const AFTER_CALLS = { enough: MOST, waitMs: 150 };
/** How often an error of no known kind is tried again: about ten seconds long. */
const TRIES = 10;

interface Waiting {
  taskId: bigint;
  settlement: Settlement;
  done: (settled: boolean) => void;
  failed: (error: Error) => void;
}

export interface SettleOptions {
  /** How many groups of a backlog are closed beside each other; one, unless given. */
  lanes?: number;
  /** How long the database may be away before a settlement is given up; without it, it is tried until it is back. */
  patienceMs?: number;
  /** Told of runs that wait for their callback from now on. */
  onWaiting?: (runs: readonly WaitingRun[]) => void;
  /** What whoever runs the deployment wants to hear of. */
  alerts?: AlertRules | null;
  tracing?: Tracing | null;
  /** Most attempts kept of one run; without it, all. */
  attemptsPerRun?: number;
}

/** Scatters ids of tasks over lanes, also where a database counts in twos. */
const SCATTER = 97n;

/**
 * Closes executions in groups: while one transaction is on its way, the next group gathers. A backlog may have several on their way: all
 * results of a task go the same way then, so that no two transactions want the same task's rows, and each closes more runs of
 * fewer tasks. Without a backlog there is one, since most of what a statement costs is the statement itself.
 * While the database is away the group is tried again until it is back. If a lease runs out meanwhile, the run belongs to
 * somebody else and our result changes nothing. Whoever has a person or a service waiting for the answer sets `patienceMs`.
 */
export class SettleGroup {
  private readonly lanes: readonly SettleLane<Waiting>[];
  private readonly aside = new Aside<Waiting>(
    (part) => this.closeUnlessHeld(part),
    (line) => firstOf(line).taken,
  );

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
    private readonly notices: Pick<EnqueueNotices, 'add'>,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
    private readonly options: SettleOptions = {},
  ) {
    const lane = () => new SettleLane<Waiting>(SOON, (line) => this.closeAll(line));
    this.lanes = Array.from({ length: options.lanes ?? 1 }, lane);
  }

  /**
   * Resolves when the settlement is committed (true), or has turned out to change nothing. `isLast`: no other is under way;
   * `callsWait`: runs wait for their call to go out, which comes first.
   * Rejects only where there is a `patienceMs`; the settlement may be written all the same.
   */
  add(settlement: Settlement, isLast: boolean, callsWait = false): Promise<boolean> {
    return new Promise((done, failed) => {
      const { taskId } = settlement;
      const lane = callsWait ? this.laneOf(taskId) : this.lanes[0];
      lane.add({ taskId, settlement, done, failed }, isLast, callsWait ? AFTER_CALLS : SOON);
      // What others have waits for calls, too, and there are none any more.
      if (!callsWait) for (const other of this.lanes) if (other !== lane) other.hurry();
    });
  }

  private laneOf(taskId: bigint): SettleLane<Waiting> {
    return this.lanes[Number(taskId % SCATTER) % this.lanes.length];
  }

  /** Closes those of the runs that may not start any more. What cannot be written now, rescue finds. */
  async skipLate(runIds: readonly string[]): Promise<void> {
    const { database, enqueue, log, metrics, options } = this;
    const { alerts = null } = options;
    await skipLate({ database, enqueue, log, metrics, alerts }, runIds, this.clock.now()).catch((error: unknown) => {
      log.warn({ err: error }, 'runs that came too late cannot be closed yet: rescue will');
    });
  }

  private async closeAll(line: readonly Waiting[]): Promise<void> {
    for (let rest = line; rest.length > 0;) {
      const { taken, left } = firstOf(this.withoutHeld(rest));
      rest = left;
      if (!(await this.closeUnlessHeld(taken))) await this.closeByTask(taken);
    }
  }

  /** Says no if somebody holds the rows of one of the tasks, and nothing was done. */
  private async closeUnlessHeld(group: readonly Waiting[]): Promise<boolean> {
    if (group.length === 0) return true;
    try {
      const settled = await this.commit(group.map((one) => one.settlement));
      for (const { settlement, done } of group) done(settled.has(settlement.runId));
    } catch (error) {
      if (this.stepsAside(error)) return false;
      for (const { failed } of group) failed(error as Error);
    }
    return true;
  }

  /** Where somebody waits for the answer, it is tried again instead. */
  private stepsAside(error: unknown): boolean {
    return isLockWait(error) && this.options.patienceMs === undefined;
  }

  /** Which task it is shows when each is tried alone. Its results step aside until its rows are free. */
  private async closeByTask(group: readonly Waiting[]): Promise<void> {
    const tasks = new Set(group.map((one) => one.taskId));
    for (const taskId of tasks) {
      const part = group.filter((one) => one.taskId === taskId);
      const isHeld = tasks.size === 1 || !(await this.closeUnlessHeld(part));
      if (isHeld) this.stepAside(taskId, part);
    }
  }

  private stepAside(taskId: bigint, part: readonly Waiting[]): void {
    if (!this.aside.has(taskId)) this.log.warn({ task_id: String(taskId) }, 'a task is locked: its results wait');
    for (const one of part) this.aside.add(one);
  }

  /** Results of tasks whose rows are held join those that have stepped aside. */
  private withoutHeld(line: readonly Waiting[]): Waiting[] {
    for (const one of line) if (this.aside.has(one.taskId)) this.aside.add(one);
    return line.filter((one) => !this.aside.has(one.taskId));
  }

  /** The ids of the runs that were moved. */
  private async commit(settlements: Settlement[]): Promise<ReadonlySet<string>> {
    const began = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.settle(settlements);
      } catch (error) {
        if (isRefused(error, attempt)) return this.separate(settlements, error);
        if (this.stepsAside(error)) throw error;
        if (performance.now() - began > (this.options.patienceMs ?? Infinity)) throw error;
        if (attempt === 1) this.log.warn({ err: error }, 'results cannot be written yet, trying again');
        await pause(Math.min(WAIT_MS.first * 2 ** attempt, WAIT_MS.most));
      }
    }
  }

  private async settle(settlements: Settlement[]): Promise<ReadonlySet<string>> {
    const accepted = settlements.filter(isAccepted);
    if (accepted.length === 0) return this.closeRuns(settlements);
    const waiting = await this.keepStarts(accepted);
    const others = settlements.filter((one) => !isAccepted(one));
    return others.length === 0 ? waiting : new Set([...waiting, ...(await this.closeRuns(others))]);
  }

  /** Calls that started ASYNC attempts: what was accepted waits, and of all of them the record is kept. */
  private async keepStarts(starts: Settlement[]): Promise<ReadonlySet<string>> {
    const waiting = await acceptStarts(this.database, starts);
    const ids = new Set(waiting.map((run) => run.id));
    this.metrics.closed(starts, ids);
    this.options.onWaiting?.(waiting);
    return ids;
  }

  private async closeRuns(settlements: Settlement[]): Promise<ReadonlySet<string>> {
    const now = this.clock.now();
    const { settled, released, notices } = await settleRuns(this.database, settlements, now, this.options.alerts);
    const unheard = settlements.filter((one) => one.startsAsync && !settled.has(one.runId));
    if (unheard.length > 0) await this.keepStarts(unheard);
    const end = this.clock.now();
    this.metrics.settled(settlements, settled, end - now);
    this.options.tracing?.settled(settlements, settled, { start: now, end });
    for (const { runId, execId } of settlements) {
      if (!settled.has(runId)) this.log.info({ run_id: runId, exec_id: execId }, 'a stale result changed nothing');
    }
    const retries = settlements.filter((one) => one.dueAgainAt !== null && settled.has(one.runId));
    await this.enqueue.add([
      ...released,
      ...retries.map((one) => ({ ...one, id: one.runId, dueAt: one.dueAgainAt ?? now })),
    ]);
    if (notices.length > 0) await this.notices.add(notices);
    const { database, log, options } = this;
    await boundLogs({ database, log, kept: options.attemptsPerRun ?? 0 }, settlements, settled);
    return settled;
  }

  /** One settlement the database refuses must not hold up the others: each alone, and the refused one without its texts. */
  private async separate(settlements: Settlement[], error: unknown): Promise<ReadonlySet<string>> {
    if (settlements.length > 1) {
      const settled = new Set<string>();
      for (const one of settlements) for (const id of await this.commit([one])) settled.add(id);
      return settled;
    }
    const [one] = settlements;
    if (one.request === null && one.response === null) {
      this.log.error({ err: error, run_id: one.runId }, 'a result cannot be written: rescue will close the run');
      return new Set();
    }
    this.log.error(
      { err: error, run_id: one.runId },
      'the record of a call cannot be stored: keeping only how it ended',
    );
    return this.commit([{ ...one, request: null, response: null, result: null }]);
  }
}

/** As many as one transaction closes. Of one run only the first: the other is of another execution, and finds out by itself that it is stale. */
function firstOf(line: readonly Waiting[]): { taken: Waiting[]; left: Waiting[] } {
  const taken = new Map<string, Waiting>();
  const left: Waiting[] = [];
  let size = 0;
  for (const one of line) {
    const { runId } = one.settlement;
    const fits = taken.size < MOST && size < MOST_TEXT && !taken.has(runId);
    if (!fits) left.push(one);
    else taken.set(runId, one);
    if (fits) size += textOf(one.settlement);
  }
  return { taken: [...taken.values()], left };
}

const isAccepted = ({ status }: Settlement): boolean => status === 'WAITING_CALLBACK';

/** What it writes that may be long, about: the call, what it answered, and the result that was read from that. */
function textOf({ result, request, response, errorInfo }: Settlement): number {
  const answer = bodyOf(response);
  return bodyOf(request) + answer + (errorInfo?.length ?? 0) + (answer || lengthOf(result));
}

function bodyOf(record: object | null): number {
  const { body } = (record ?? {}) as { body?: unknown };
  return typeof body === 'string' ? body.length : 0;
}

function lengthOf(result: unknown): number {
  if (typeof result === 'string') return result.length;
  return result === null ? 0 : JSON.stringify(result).length;
}

/** The data itself is refused; or something nobody has thought of, and it does not go away. */
function isRefused(error: unknown, attempt: number): boolean {
  const fault = faultOf(error);
  return fault === 'data' || fault === 'duplicate' || (fault === 'other' && attempt >= TRIES);
}
