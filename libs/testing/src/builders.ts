import type { Database, Prisma } from '#database';

let count = 0;

/** A task that is valid as it is; say only what the test is about. `nextFireAt` in the past makes it due. */
export function insertTask(
  database: Database,
  { nextFireAt, ...task }: Partial<Prisma.TaskUncheckedCreateInput> & { nextFireAt?: Date } = {},
) {
  const name = task.name ?? `task-${process.pid}-${++count}`;
  const now = new Date();
  return database.client.task.create({
    data: {
      name,
      liveName: name,
      cronExpr: '* * * * * *',
      cronSource: '* * * * * *',
      type: 'cron',
      targetUrl: 'http://127.0.0.1:9/',
      retryPolicyJson: { strategy: 'none' },
      createdAt: now,
      updatedAt: now,
      ...task,
      state: { create: { nextFireAt } },
    },
  });
}

/** The current second by the database's clock, as a Date. */
export const secondOf = (ms: number) => new Date(Math.floor(ms / 1000) * 1000);
