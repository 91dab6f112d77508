import type { Session } from '../client.js';
import type { LateCallback, RunAttempt, RunCallback, RunHandling, TaskRun } from '../generated/postgresql/client.js';
import { type AnyRun, archivedRun } from '../retention/archived-run.js';

export interface StoredRun {
  run: AnyRun;
  attempts: RunAttempt[];
  callbacks: RunCallback[];
  lateCallbacks: LateCallback[];
  /** What people did about it, oldest first. */
  handled: RunHandling[];
}

/** Archived or not. In this order: a run that is moved in between is found where it went. */
async function runOf(session: Session, tenantId: string, id: string): Promise<AnyRun | null> {
  const run = await session.taskRun.findFirst({ where: { id, tenantId } });
  if (run !== null) return run;
  const archived = await session.runArchive.findFirst({ where: { id, tenantId } });
  return archived && archivedRun(archived);
}

export async function findRun(session: Session, tenantId: string, id: string): Promise<StoredRun | null> {
  const run = await runOf(session, tenantId, id);
  if (run === null) return null;
  const attempts = await session.runAttempt.findMany({
    where: { runId: id },
    orderBy: [{ attempt: 'asc' }, { startedAt: 'asc' }],
  });
  const handled = await session.runHandling.findMany({ where: { runId: id }, orderBy: { id: 'asc' } });
  return { run, attempts, handled, ...(await callbacksOf(session, run)) };
}

/** Only what was executed with a token has any. */
async function callbacksOf(session: Session, { id: runId, deadlineAt }: TaskRun) {
  if (deadlineAt === null) return { callbacks: [], lateCallbacks: [] };
  const callbacks = await session.runCallback.findMany({ where: { runId }, orderBy: { attempt: 'asc' } });
  const lateCallbacks = await session.lateCallback.findMany({ where: { runId }, orderBy: { receivedAt: 'asc' } });
  return { callbacks, lateCallbacks };
}

/** The rows of runs that are there, in the order of the ids. */
export async function findRuns(session: Session, ids: readonly string[]): Promise<TaskRun[]> {
  const rows = await session.taskRun.findMany({ where: { id: { in: [...ids] } } });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
