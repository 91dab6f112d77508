import { type AgentClaim, type AgentClaims, type AgentRun, claimAgentRuns, type Clock, type Database } from '#database';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { SettleGroup } from '../settle/settle-group.js';

/** How long a claim looks on while what it meets turns out to be of no use, and how many it then looks at at once. */
const LOOK_ON = { ms: 2_000, runs: 200 };

export type ClaimWish = Omit<AgentClaim, 'now' | 'leaseSeconds' | 'look'>;

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
    const end = performance.now() + LOOK_ON.ms;
    for (let look = wish.limit; ; look = Math.max(wish.limit, LOOK_ON.runs)) {
      const claims = await this.look(wish, wish.limit - runs.length, look).catch(unlessAny(runs));
      runs.push(...claims.runs);
      if (claims.seen < look || runs.length === wish.limit || performance.now() >= end) break;
    }
    for (const run of runs) this.metrics.sent(run, this.clock.now());
    this.metrics.claimedByAgent(runs.length);
    return runs;
  }

  private async look(wish: ClaimWish, limit: number, look: number): Promise<AgentClaims> {
    const claim = { ...wish, ...this.options, limit, look, now: this.clock.now() };
    const claims = await claimAgentRuns(this.database, claim);
    // Those that may not start any more are closed; whatever else they are, somebody has seen to it.
    if (claims.left.length > 0) void this.settle.skipLate(claims.left);
    return claims;
  }
}

/** What was claimed before something went wrong is the agent's already. */
const unlessAny =
  (runs: readonly AgentRun[]) =>
  (error: unknown): AgentClaims => {
    if (runs.length === 0) throw error;
    return { seen: 0, runs: [], left: [] };
  };
