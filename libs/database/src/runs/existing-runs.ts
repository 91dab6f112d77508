import type { Session } from '../client.js';

/** Which of these run ids have a row already. */
export async function existingRuns(session: Session, ids: readonly string[]): Promise<Set<string>> {
  const rows = await session.taskRun.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  return new Set(rows.map((row) => row.id));
}
