import {
  type AgentExecution,
  allowAnotherAttempt,
  type Clock,
  type Database,
  findAgentExecution,
  keepAgentLease,
} from '#database';
import { type AgentReport, NotFound, StaleExecution } from '#domain';
import type { SettleGroup } from '../settle/settle-group.js';
import { agentSettlement, notHandedOut } from './agent-settlement.js';

/** Which execution an agent speaks of. */
export interface AgentWord {
  tenantId: string;
  id: string;
  execId: string;
}

export interface LeaseAnswer {
  cancelRequested: boolean;
  /** Until when the next sign of life is due; null when none is. */
  deadline: number | null;
}

/** Takes what agents say about runs they have the lease of. An execution that is not the run's any more changes nothing. */
export class HearAgent {
  private underWay = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settle: Pick<SettleGroup, 'add'>,
    private readonly options: { leaseSeconds: number },
  ) {}

  /** The run of an execution that was cancelled is over already: the agent is told to let go. */
  async heartbeat(word: AgentWord, progress?: unknown): Promise<LeaseAnswer> {
    const kept = await keepAgentLease(this.database, {
      ...word,
      ...this.options,
      progress,
      now: this.clock.now(),
    });
    const run = await this.find(word);
    if (kept && run.execId === word.execId && run.status === 'RUNNING')
      return { cancelRequested: false, deadline: run.leaseUntil };
    if (run.execId === word.execId && run.status === 'CANCELED') return { cancelRequested: true, deadline: null };
    throw new StaleExecution(word.id, word.execId, run.status);
  }

  /** The agent never heard of the execution: its run goes back, and the attempt does not count. */
  async letGo(word: AgentWord): Promise<void> {
    if (!(await allowAnotherAttempt(this.database, word.id, word.execId))) return;
    const run = await this.find(word);
    if (run.execId === word.execId) await this.settle.add(notHandedOut(run, this.clock.now()), false);
  }

  /** Gives false when it had been said before, and had been heard. */
  async report(word: AgentWord, report: AgentReport): Promise<boolean> {
    this.underWay += 1;
    try {
      return await this.close(word, report);
    } finally {
      this.underWay -= 1;
    }
  }

  private async close(word: AgentWord, report: AgentReport): Promise<boolean> {
    const run = await this.find(word);
    if (run.execId !== word.execId || run.executor !== 'AGENT') throw stale(word, run);
    if (run.status === 'RUNNING') {
      const settlement = agentSettlement(run, report, this.clock.now(), Math.random());
      if (await this.settle.add(settlement, this.underWay <= 1)) return true;
    }
    const now = await this.find(word);
    if (now.execId !== word.execId || !isSame(now, report)) throw stale(word, now);
    return false;
  }

  private async find({ tenantId, id }: AgentWord): Promise<AgentExecution> {
    const run = await findAgentExecution(this.database, tenantId, id);
    if (run === null) throw new NotFound('run', id);
    return run;
  }
}

const stale = ({ id, execId }: AgentWord, { status }: AgentExecution) => new StaleExecution(id, execId, status);

const NOT_REPORTED = new Set(['LEASE_EXPIRED', 'TIMEOUT', 'NODE_LOST', 'AGENT_GONE']);

/** An agent that did not hear our answer says it again. */
function isSame({ status, errorCode }: AgentExecution, report: AgentReport): boolean {
  if (report.kind === 'complete') return status === 'SUCCESS' || status === 'COMPLETED';
  return ['FAILED', 'RETRYING', 'PENDING'].includes(status) && !NOT_REPORTED.has(errorCode ?? '');
}
