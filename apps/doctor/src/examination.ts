import { type Checkup, checkTask, type Clock, type Database, findSuspects, wakeSooner } from '#database';
import type { Report } from './report.js';

/** Goes through everything once, and repairs it, if that is asked for. */
export async function examine(
  database: Database,
  clock: Clock,
  { repair }: { repair: boolean },
  progress: (line: string) => void,
): Promise<Report> {
  const { tasks, runs, suspects } = await findSuspects(database, {
    progress: (count) => progress(`${count} tasks compared`),
  });
  const report: Report = { repair, tasks, runs, found: [], failed: [] };
  for (const [index, taskId] of suspects.entries()) {
    progress(`${index} of ${suspects.length} doubtful tasks counted`);
    await checkInto(report, database, clock, taskId);
  }
  return report;
}

async function checkInto(report: Report, database: Database, clock: Clock, taskId: bigint): Promise<void> {
  try {
    const checkup = await checkTask(database, taskId, clock.now(), report);
    if (checkup.problems.length > 0) report.found.push(checkup);
    await tellRescue(database, clock, checkup);
  } catch (error) {
    report.failed.push({ taskId, reason: (error as Error).message.trim() });
  }
}

/** There is no queue here: rescue, in any running process, tells it of the runs that were let in. */
async function tellRescue(database: Database, clock: Clock, { released }: Checkup): Promise<void> {
  const now = clock.now();
  if (released.length > 0) {
    await wakeSooner(
      database,
      released.map(({ id, dueAt }) => ({ runId: id, at: Math.max(now, dueAt) })),
    );
  }
}
