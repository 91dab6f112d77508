import { randomUUID } from 'node:crypto';
import type { RunTrigger } from '#domain';
import type { Database } from '../client.js';
import { setAlarms } from '../runs/set-alarms.js';
import { DROP_OFFERS, type OfferFilter, takeOffers } from '../sql/agent-runs.js';
import { CLAIM_AGENT_RUNS, OPEN_AGENT_RUNS, READ_AGENT_RUNS } from '../sql/claim-agent-runs.js';
import { sqlTime } from '../sql-time.js';
import { onlyMySql, type Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';

export interface AgentClaim extends OfferFilter {
  tenantId: string;
  agent: string;
  limit: number;
  /** How many to look at for them: more than that where many have turned out to be of no use. */
  look: number;
  now: number;
  /** How long an agent may be silent where the task does not say. */
  leaseSeconds: number;
}

/** An execution an agent has the lease of. Times are epoch milliseconds. */
export interface AgentRun {
  id: string;
  taskId: bigint;
  taskName: string;
  trigger: RunTrigger;
  category: string | null;
  creator: string | null;
  scheduledTime: number;
  attempt: number;
  maxAttempts: number;
  priority: number;
  execId: string;
  payload: unknown;
  traceId: string;
  /** Until when the agent must give a sign of life, and until when it must be through. */
  deadline: number;
  timeoutAt: number;
}

interface AgentRow {
  id: string;
  task_id: bigint;
  task_name: string;
  trigger: RunTrigger;
  category: string | null;
  creator: string | null;
  scheduled_time: Date;
  attempt: number;
  max_attempts: number;
  priority: number;
  exec_id: string;
  payload: unknown;
  trace_id: string;
  wake_at: Date;
  deadline_at: Date;
}

export interface AgentClaims {
  /** How many were looked at, for whatever they turned out to be. */
  seen: number;
  runs: AgentRun[];
  /** Those that cannot be handed out: cancelled, taken, or too late to start. */
  left: string[];
}

/** Hands runs to an agent, each to one only. What is no longer to be executed is forgotten. */
export function claimAgentRuns(database: Database, claim: AgentClaim): Promise<AgentClaims> {
  return inSqlTransaction(database, async (sql) => {
    const { statement, values } = takeOffers(claim, [claim.tenantId, sqlTime(claim.now)], claim.look);
    const seen = (await sql.rows<{ run_id: string }>(statement, ...values)).map((row) => row.run_id);
    if (seen.length === 0) return { seen: 0, runs: [], left: [] };
    const order = await withoutSpare(sql, seen, claim);
    const rows = new Map((await take(sql, order, claim)).map((row) => [row.id, row]));
    await sql.run(DROP_OFFERS, JSON.stringify([...order].sort()));
    await setAlarms(
      sql,
      [...rows.values()].map((row) => ({ runId: row.id, at: row.wake_at.getTime() })),
    );
    const runs = order.flatMap((id) => rows.get(id) ?? []).map(toAgentRun);
    return { seen: seen.length, runs, left: order.filter((id) => !rows.has(id)) };
  });
}

/** Those that are wanted, and those that are of no use to anybody. The others stay where they are. */
async function withoutSpare(sql: Sql, seen: string[], { limit, look, now }: AgentClaim): Promise<string[]> {
  if (look <= limit) return seen;
  const rows = await sql.rows<{ id: string }>(OPEN_AGENT_RUNS, JSON.stringify(seen), sqlTime(now));
  const open = new Set(rows.map((row) => row.id));
  const spare = new Set(seen.filter((id) => open.has(id)).slice(limit));
  return seen.filter((id) => !spare.has(id));
}

async function take(sql: Sql, ids: readonly string[], { agent, now, leaseSeconds }: AgentClaim): Promise<AgentRow[]> {
  const wanted = JSON.stringify([...ids].sort().map((id) => ({ id, exec_id: randomUUID() })));
  const at = sqlTime(now);
  const claimed = await sql.rows<AgentRow>(CLAIM_AGENT_RUNS, wanted, agent, ...[at, at, at, at], leaseSeconds, at);
  return sql.dialect === 'mysql' ? sql.rows<AgentRow>(onlyMySql(READ_AGENT_RUNS), wanted) : claimed;
}

const toAgentRun = (row: AgentRow): AgentRun => ({
  id: row.id,
  taskId: row.task_id,
  taskName: row.task_name,
  trigger: row.trigger,
  category: row.category,
  creator: row.creator,
  scheduledTime: row.scheduled_time.getTime(),
  attempt: row.attempt,
  maxAttempts: row.max_attempts,
  priority: row.priority,
  execId: row.exec_id,
  payload: row.payload,
  traceId: row.trace_id,
  deadline: row.wake_at.getTime(),
  timeoutAt: row.deadline_at.getTime(),
});
