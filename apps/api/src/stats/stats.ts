import { Inject, Injectable } from '@nestjs/common';
import { openRunsOf, recentRuns } from '#database';
import { summarizeRuns } from '#domain';
import { PLATFORM, type Platform, QueueDepths } from '#pipeline';
import { presentStats } from './present-stats.js';
import type { StatsView } from './stats.view.js';

/** How long an answer serves, and for how many tenants at most. */
const KEEP = { ms: 5_000, tenants: 1_000 };
const WINDOW_MS = 3_600_000;
const MOST_RUNS = 10_000;

interface Kept {
  until: number;
  answer: Promise<StatsView>;
}

/** Works a tenant's numbers out, once for all who ask at about the same time. */
@Injectable()
export class Stats {
  private readonly kept = new Map<string, Kept>();

  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly depths: QueueDepths,
  ) {}

  of(tenantId: string): Promise<StatsView> {
    const now = performance.now();
    const known = this.kept.get(tenantId);
    if (known && known.until > now) return known.answer;
    const answer = this.workOut(tenantId);
    if (this.kept.size >= KEEP.tenants) this.kept.clear();
    this.kept.set(tenantId, { until: now + KEEP.ms, answer });
    // What failed is asked again by the next one.
    answer.catch(() => this.kept.delete(tenantId));
    return answer;
  }

  private async workOut(tenantId: string): Promise<StatsView> {
    const { database, clock } = this.platform;
    const now = clock.now();
    const from = now - WINDOW_MS;
    const open = await openRunsOf(database, tenantId);
    const recent = await recentRuns(database, tenantId, { from, to: now, limit: MOST_RUNS });
    // Without a queue the rest is worth knowing all the more.
    const queues = await this.depths.read().catch(() => null);
    return presentStats(open, summarizeRuns(recent, from, now, MOST_RUNS), queues);
  }
}
