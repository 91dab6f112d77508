import type { Database } from '../client.js';

/** Which of these run ids have a row already. */
export async function existingRuns({ client }: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await client.taskRun.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  return new Set(rows.map((row) => row.id));
}
