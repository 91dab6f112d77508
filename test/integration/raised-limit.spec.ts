import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimRuns, findSuspects, inSqlTransaction, type Settlement, settleRuns, type Sql } from '#database';
import { eventually, openStack, type Stack } from '#testing';
import { freeSlots, lockTasks } from '../../libs/database/src/runs/free-slots.js';
import { type RunningApi, startApi, taskBody } from '../support/api.js';

describe('a limit that is raised while a run ends', () => {
  let stack: Stack;
  let api: RunningApi;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const now = () => api.platform.clock.now();
  const trigger = async (taskId: string) => (await api.http.post<{ id: string }>(`/tasks/${taskId}/runs`)).data.id;

  const RAISE = {
    postgresql: 'UPDATE tasks SET max_concurrency = 2 WHERE id = $1',
    mysql: 'UPDATE tasks SET max_concurrency = 2 WHERE id = ?',
  };
  const WAITING = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

  /** Only PostgreSQL could read the limit before it waits; MariaDB reads it with the lock, whichever comes first. */
  const isWaiting = async () => {
    const { driver, dialect } = api.platform.database;
    return dialect === 'mysql' || (await driver.rows({ postgresql: WAITING, mysql: '' })).length > 0;
  };

  /** As a change of the task does, kept open until the settle waits for it. */
  const raise = async (sql: Sql, taskId: bigint, settle: () => void) => {
    await lockTasks(sql, [taskId]);
    await sql.run(RAISE, taskId);
    await freeSlots(sql, await lockTasks(sql, [taskId]), new Map(), now());
    settle();
    await eventually(isWaiting, 'the settle waits');
  };

  it('leaves nobody waiting though there is room', async () => {
    const { database } = api.platform;
    const { id } = (await api.http.post('/tasks', taskBody({ max_concurrency: 1 }))).data;
    const first = await trigger(id);
    await trigger(id);
    await trigger(id);
    const [claimed] = await claimRuns(database, [first], { node: 'n', now: now(), leaseMs: 60_000 });
    let settling: ReturnType<typeof settleRuns> | undefined;
    const settle = () => {
      settling = settleRuns(database, [settlement(claimed)], now());
    };
    await inSqlTransaction(database, (sql) => raise(sql, BigInt(id), settle));
    await settling;
    const state = await database.client.taskState.findUniqueOrThrow({ where: { taskId: BigInt(id) } });
    expect(state).toMatchObject({ activeRuns: 2, queuedRuns: 0 });
    expect((await findSuspects(database)).suspects).toEqual([]);
  });

  const settlement = (run: { id: string; execId: string; taskId: bigint; tenantId: string }): Settlement => ({
    ...{ runId: run.id, execId: run.execId, taskId: run.taskId, tenantId: run.tenantId, attempt: 1, tickAttempt: 1 },
    ...{ node: 'n', priority: 0, status: 'SUCCESS', outcome: 'SUCCESS', startedAt: now(), finishedAt: now() },
    ...{
      dueAgainAt: null,
      httpStatus: 200,
      errorCode: null,
      errorInfo: null,
      result: null,
      request: null,
      response: null,
      notify: null,
    },
  });
});
