import type { Database } from '#database';

export interface TaskPlan {
  count: number;
  targetUrl: string;
  cronExpr: string;
  /** null: never by itself. */
  nextFireAt: Date | null;
  timeoutSeconds?: number;
}

let made = 0;

/** Tasks that may run any number of times at once, with a POST that carries the run id. */
export async function addTasks(database: Database, plan: TaskPlan): Promise<void> {
  const { count, targetUrl, cronExpr, nextFireAt, timeoutSeconds } = plan;
  const { client } = database;
  const now = new Date();
  const row = (name: string) => ({
    ...{ name, liveName: name, cronExpr, cronSource: cronExpr, type: 'cron', targetUrl },
    ...{ bodyTemplate: '{"run":"{{run_id}}"}', retryPolicyJson: { strategy: 'none' }, maxConcurrency: 0 },
    ...{ timeoutSeconds, createdAt: now, updatedAt: now },
  });
  for (let at = 0; at < count; at += 1_000) {
    const part = Array.from({ length: Math.min(1_000, count - at) }, () => row(`bench-${++made}`));
    await client.task.createMany({ data: part });
  }
  const tasks = await client.task.findMany({ where: { state: null }, select: { id: true } });
  for (let at = 0; at < count; at += 1_000) {
    await client.taskState.createMany({
      data: tasks.slice(at, at + 1_000).map(({ id }) => ({ taskId: id, nextFireAt })),
    });
  }
}

/** Tasks, runs and everything about them. Runs as if they had never been: what is deleted would be cleaned up during the next pass. */
export async function removeAll({ client }: Database): Promise<void> {
  for (const table of ['run_alarms', 'run_attempts', 'task_runs']) {
    await client.$executeRawUnsafe(`TRUNCATE TABLE ${table}`);
  }
  await client.task.deleteMany();
}

/** Whether a task has a run that is not over, by the counters that are kept with every run: it ends with the first that has. */
export const isBusy = async ({ client }: Database): Promise<boolean> =>
  (await client.taskState.findFirst({ where: { OR: [{ activeRuns: { gt: 0 } }, { queuedRuns: { gt: 0 } }] } })) !==
  null;

/** How many runs are not over. Reads all of them. */
export const unfinished = ({ client }: Database): Promise<number> =>
  client.taskRun.count({ where: { finishedAt: null } });

/** The next whole second of that clock that is at least so far away. */
export const secondAfter = (now: number, aheadMs: number): Date => new Date(Math.ceil((now + aheadMs) / 1000) * 1000);
