import { type AgentClaim, type AgentRun, claimAgentRuns, type Clock, type Database } from '#database';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { SettleGroup } from '../settle/settle-group.js';

/** How often a claim looks on when all it took turned out to be of no use. */
const ROUNDS = 20;

export type ClaimWish = Omit<AgentClaim, 'now' | 'leaseSeconds'>;

/** Hands runs to agents: the same admission and policies as for calls, but whoever has time comes for them. */
export class ClaimForAgent {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settle: Pick<SettleGroup, 'skipLate'>,
    private readonly metrics: PipelineMetrics,
    private readonly options: { leaseSeconds: number },
  ) {}

  /** As many as there are, up to the limit. */
  async claim(wish: ClaimWish): Promise<AgentRun[]> {
    const runs: AgentRun[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const wanted = wish.limit - runs.length;
      const now = this.clock.now();
      const claims = await claimAgentRuns(this.database, { ...wish, ...this.options, limit: wanted, now });
      runs.push(...claims.runs);
      // Those that may not start any more are closed; whatever else they are, somebody has seen to it.
      if (claims.left.length > 0) void this.settle.skipLate(claims.left);
      if (claims.taken < wanted || runs.length === wish.limit) break;
    }
    for (const run of runs) this.metrics.sent(run, this.clock.now());
    this.metrics.claimedByAgent(runs.length);
    return runs;
  }
}
