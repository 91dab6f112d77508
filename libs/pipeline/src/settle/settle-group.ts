import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, type Database, faultOf, type Settlement, settleRuns } from '#database';
import type { AlertRules } from '#domain';
import type { Logger } from 'pino';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { EnqueueNotices } from '../notify/enqueue-notices.js';
import { Gather } from '../gather.js';
import { skipLate } from './skip-late.js';

/** Most executions one transaction closes. */
const MOST = 200;
const WAIT_MS = { first: 25, most: 2_000 };
/** Most of what a statement costs is the statement itself, so a few results wait a moment for others that are under way. */
const GATHER = { enough: 16, waitMs: 3 };
/** How often an error of no known kind is tried again: about ten seconds long. */
const TRIES = 10;

interface Waiting {
  settlement: Settlement;
  done: () => void;
}

/**
 * Closes executions in groups: while one transaction is on its way, the next group gathers.
 * While the database is away the group is tried again until it is back. If a lease runs out meanwhile, the run belongs to
 * somebody else and our result changes nothing.
 */
export class SettleGroup {
  private waiting: Waiting[] = [];
  private flushing = false;
  private readonly gather = new Gather(GATHER, () => void this.flush());

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
    private readonly notices: Pick<EnqueueNotices, 'add'>,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
    private readonly alerts: AlertRules | null = null,
  ) {}

  /** Resolves when the settlement is committed, or has turned out to change nothing. `isLast`: no other is under way. */
  add(settlement: Settlement, isLast: boolean): Promise<void> {
    return new Promise((done) => {
      this.waiting.push({ settlement, done });
      this.gather.add(isLast);
    });
  }

  /** Closes those of the runs that may not start any more. What cannot be written now, rescue finds. */
  async skipLate(runIds: readonly string[]): Promise<void> {
    const { database, enqueue, log, metrics, alerts } = this;
    await skipLate({ database, enqueue, log, metrics, alerts }, runIds, this.clock.now()).catch((error: unknown) => {
      log.warn({ err: error }, 'runs that came too late cannot be closed yet: rescue will');
    });
  }

  private async flush(): Promise<void> {
    if (this.flushing) return;
    this.flushing = true;
    while (this.waiting.length > 0) {
      this.gather.clear();
      const group = this.take();
      await this.commit(group.map((one) => one.settlement));
      for (const one of group) one.done();
    }
    this.flushing = false;
  }

  /** Of one run only the first: the other is of another execution, and finds out by itself that it is stale. */
  private take(): Waiting[] {
    const taken = new Map<string, Waiting>();
    const left: Waiting[] = [];
    for (const one of this.waiting) {
      const { runId } = one.settlement;
      if (taken.size < MOST && !taken.has(runId)) taken.set(runId, one);
      else left.push(one);
    }
    this.waiting = left;
    return [...taken.values()];
  }

  private async commit(settlements: Settlement[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.settle(settlements);
      } catch (error) {
        if (isRefused(error, attempt)) return this.separate(settlements, error);
        if (attempt === 1) this.log.warn({ err: error }, 'results cannot be written yet, trying again');
        await pause(Math.min(WAIT_MS.first * 2 ** attempt, WAIT_MS.most));
      }
    }
  }

  private async settle(settlements: Settlement[]): Promise<void> {
    const now = this.clock.now();
    const { settled, released, notices } = await settleRuns(this.database, settlements, now, this.alerts);
    this.metrics.settled(settlements, settled, this.clock.now() - now);
    for (const { runId, execId } of settlements) {
      if (!settled.has(runId)) this.log.info({ run_id: runId, exec_id: execId }, 'a stale result changed nothing');
    }
    const retries = settlements.filter((one) => one.dueAgainAt !== null && settled.has(one.runId));
    await this.enqueue.add([
      ...released,
      ...retries.map((one) => ({ ...one, id: one.runId, dueAt: one.dueAgainAt ?? now })),
    ]);
    if (notices.length > 0) await this.notices.add(notices);
  }

  /** One settlement the database refuses must not hold up the others: each alone, and the refused one without its texts. */
  private async separate(settlements: Settlement[], error: unknown): Promise<void> {
    if (settlements.length > 1) {
      for (const one of settlements) await this.commit([one]);
      return;
    }
    const [one] = settlements;
    if (one.request === null && one.response === null) {
      this.log.error({ err: error, run_id: one.runId }, 'a result cannot be written: rescue will close the run');
      return;
    }
    this.log.error(
      { err: error, run_id: one.runId },
      'the record of a call cannot be stored: keeping only how it ended',
    );
    await this.commit([{ ...one, request: null, response: null, result: null }]);
  }
}

/** The data itself is refused; or something nobody has thought of, and it does not go away. */
function isRefused(error: unknown, attempt: number): boolean {
  const fault = faultOf(error);
  return fault === 'data' || fault === 'duplicate' || (fault === 'other' && attempt >= TRIES);
}
