import {
  type AlarmCursor,
  type Clock,
  type Database,
  type NoticeToSend,
  waitingNotices,
  waitingRuns,
  type WaitingForWorker,
  wakeLater,
} from '#database';
import { QueueAway, type QueueMemory } from '#queue';
import type { Logger } from 'pino';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { EnqueueNotices } from '../notify/enqueue-notices.js';

/** Most rows one statement reads or writes. */
const PAGE = 1_000;
/** So many runs are put in order at once; should more be waiting, the next so many come after them. */
const IN_ORDER = 50_000;
/** A queue that keeps forgetting is left to the next pass. */
const TIMES = 3;

export interface RestoreReport {
  runs: number;
  notices: number;
}

/**
 * Tells the queue of everything that waits for it, when it has lost what it was told: runs that are due, in the order in which
 * they were, and for their time those that are due later; notices likewise. In one pass, however much it is. Telling twice is
 * harmless: a run and a notice are claimed once, and what is executing is not touched.
 */
export class RestoreQueue {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly memory: QueueMemory,
    private readonly enqueue: Pick<EnqueueRuns, 'add' | 'takeUntold'>,
    private readonly notices: Pick<EnqueueNotices, 'add'>,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
  ) {}

  async runOnce(): Promise<RestoreReport> {
    const report = { runs: 0, notices: 0 };
    try {
      await this.restore(report);
    } catch (error) {
      // It has been said that the queue is away; when it is back, it is asked what it has lost.
      if (!(error instanceof QueueAway)) throw error;
    }
    return report;
  }

  private async restore(report: RestoreReport): Promise<void> {
    for (let time = 0; time < TIMES; time++) {
      const telling = await this.memory.lost();
      if (telling === null) return this.tellUntold(report);
      this.enqueue.takeUntold();
      await this.tellRuns(report, -Infinity);
      await this.tellNotices(report);
      const isDone = await this.memory.restored(telling);
      if (report.runs + report.notices > 0) this.log.warn(report, 'the queue had lost its jobs: it was told anew');
      if (isDone) return;
    }
  }

  /** It lost nothing, but has not taken everything: what was due later then is told now. */
  private async tellUntold(report: RestoreReport): Promise<void> {
    const since = this.enqueue.takeUntold();
    if (since !== null) await this.tellRuns(report, since);
  }

  private async tellRuns(report: RestoreReport, dueSince: number): Promise<void> {
    let cursor: AlarmCursor | null = null;
    let waiting = new Map<string, WaitingForWorker>();
    do {
      const page = await waitingRuns(this.database, cursor, PAGE);
      for (const run of page.runs) if (run.executor !== 'AGENT' && run.dueAt >= dueSince) waiting.set(run.id, run);
      cursor = page.next;
      if (waiting.size < IN_ORDER && cursor !== null) continue;
      await this.tell([...waiting.values()]);
      report.runs += waiting.size;
      this.metrics.rescued('enqueued', 'queue_lost', waiting.size);
      waiting = new Map();
    } while (cursor !== null);
  }

  private async tell(runs: WaitingForWorker[]): Promise<void> {
    const now = this.clock.now();
    const due = runs.filter((run) => run.dueAt <= now).sort(byPlace);
    const later = runs.filter((run) => run.dueAt > now).sort((a, b) => a.dueAt - b.dueAt);
    // Before the queue is told: should it refuse, they are to be looked at sooner, not later.
    for (const some of pagesOf(due)) {
      await wakeLater(
        this.database,
        some.map(({ id }) => id),
        now,
      );
    }
    await this.enqueue.add([...due.map((run) => ({ ...run, dueAt: now })), ...later]);
  }

  private async tellNotices(report: RestoreReport): Promise<void> {
    let page: NoticeToSend[] = [];
    do {
      page = await waitingNotices(this.database, page.at(-1), PAGE);
      await this.notices.add(page);
      report.notices += page.length;
      this.metrics.rescued('notices', 'queue_lost', page.length);
    } while (page.length === PAGE);
  }
}

/** Who has waited longest comes first; of those who have waited as long, who hurries most. */
const byPlace = (a: WaitingForWorker, b: WaitingForWorker): number => a.since - b.since || b.priority - a.priority;

function* pagesOf<Item>(items: readonly Item[]): Iterable<Item[]> {
  for (let at = 0; at < items.length; at += PAGE) yield items.slice(at, at + PAGE);
}
