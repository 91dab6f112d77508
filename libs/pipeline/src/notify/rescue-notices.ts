import { type Clock, type Database, overdueNotices } from '#database';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { EnqueueNotices } from './enqueue-notices.js';

/** So long the queue has to bring a notice by itself. */
const GRACE_MS = 5_000;
/** Most notices one pass tells of. */
const MOST = 1_000;

/**
 * Tells the queue again of notices that are overdue: it has lost them, never heard of them, or the worker that was sending is
 * gone. Telling twice is harmless: a try has one job, and one claim.
 */
export class RescueNotices {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueNotices,
    private readonly metrics: PipelineMetrics,
    private readonly graceMs = GRACE_MS,
  ) {}

  async runOnce(): Promise<number> {
    const now = this.clock.now();
    const overdue = await overdueNotices(this.database, now - this.graceMs, MOST);
    await this.enqueue.add(overdue.map((notice) => ({ ...notice, dueAt: now })));
    this.metrics.rescued('notices', 'overdue', overdue.length);
    return overdue.length;
  }
}
