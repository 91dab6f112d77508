import { type Sql, takeBack, type TaskFacts } from '#database';
import { admit, aheadSecond, ticksMind } from '#domain';

/**
 * Whoever asks for a run now comes before a second that has not come: what was admitted ahead does not stand in the way of these
 * tasks' runs, and is decided again where ticks mind them. The caller holds the tasks, which are given as they are then.
 */
export async function letPass(
  sql: Sql,
  tasks: Map<bigint, TaskFacts>,
  askedNow: Iterable<bigint>,
  now: number,
): Promise<void> {
  for (const id of new Set(askedNow)) {
    const task = tasks.get(id);
    if (task === undefined || aheadSecond(task.lastRunId, id, now) === null) continue;
    if (!ticksMind(task) && admit(task, 'on_demand').kind === 'run') continue;
    const nextFireAt = await takeBack(sql, task, now);
    if (nextFireAt !== null) tasks.set(id, { ...task, nextFireAt, lastRunId: null, activeRuns: task.activeRuns - 1 });
  }
}
