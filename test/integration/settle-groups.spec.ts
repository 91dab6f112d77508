import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimRuns, type ClaimedRun, findSuspects, type Settlement, settleRuns } from '#database';
import { eventually, openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';

const STRANGE = `it's 100 % "§" \\ 漢字 😀\n`;

describe('results that are written down together', () => {
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
  const newTask = async (max_concurrency = 0) =>
    (await api.http.post('/tasks', taskBody({ max_concurrency }))).data.id as string;
  const trigger = async (taskId: string) => (await api.http.post<{ id: string }>(`/tasks/${taskId}/runs`)).data.id;
  const claim = async (...ids: string[]) => {
    const claimed = await claimRuns(api.platform.database, ids, { node: 'n', now: now(), leaseMs: 60_000 });
    return ids.map((id) => claimed.find((run) => run.id === id)!);
  };
  const jobs = async (type: string, count: number) => {
    const body = { jobs: Array.from({ length: count }, () => ({ type })) };
    const { data } = await api.http.post<{ items: { id: string }[] }>('/jobs/batch', body);
    return data.items.map(({ id }) => id);
  };
  /** Of everybody on the server, where that matters. */
  const openTransactions = async (): Promise<number> => {
    const { client, dialect } = api.platform.database;
    if (dialect === 'mysql') return 0;
    const [{ count }] = await client.$queryRaw<[{ count: number }]>`SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid()`;
    return count;
  };
  /** Where PostgreSQL keeps them. MySQL keeps rows where their ids belong. */
  const pagesOf = async (ids: string[]) => {
    const rows = await api.platform.database.driver.rows<{ id: string; page: string }>({
      postgresql: "SELECT id, split_part(ctid::text, ',', 1) AS page FROM task_runs",
      mysql: "SELECT id, 'by id' AS page FROM task_runs",
    });
    const pages = new Map(rows.map(({ id, page }) => [id, page]));
    return new Map(ids.map((id) => [id, pages.get(id)]));
  };
  const started = async (taskId: string) => (await claim(await trigger(taskId)))[0];
  const settle = (...settlements: Settlement[]) => settleRuns(api.platform.database, settlements, now());
  const read = async (id: string) => (await api.http.get(`/runs/${id}`)).data;
  const stateOf = (taskId: string) =>
    api.platform.database.client.taskState.findUniqueOrThrow({ where: { taskId: BigInt(taskId) } });
  const nothingIsWrong = async () => expect((await findSuspects(api.platform.database)).suspects).toEqual([]);

  const success = (run: ClaimedRun, more: Partial<Settlement> = {}): Settlement => ({
    ...{ runId: run.id, execId: run.execId, taskId: run.taskId, tenantId: run.tenantId, attempt: 1 },
    ...{ tickAttempt: run.tickAttempt, node: 'n', priority: 0, status: 'SUCCESS', outcome: 'SUCCESS' },
    ...{ startedAt: now(), finishedAt: now(), dueAgainAt: null, httpStatus: 200, errorCode: null, errorInfo: null },
    ...{ result: null, request: { method: 'POST' }, response: { status: 200 }, notify: null },
    ...more,
  });
  const failure = (run: ClaimedRun, more: Partial<Settlement> = {}): Settlement =>
    success(run, { status: 'FAILED', outcome: 'FAILED', httpStatus: 500, errorCode: 'HTTP_STATUS', ...more });

  it('and are to be tried again later are claimed by nobody before, whoever tells of them', async () => {
    const runId = await trigger(await newTask());
    const [run] = await claim(runId);
    const dueAgainAt = now() + 3_600_000;
    await settle(failure(run, { status: 'RETRYING', dueAgainAt }));
    const at = (time: number) =>
      claimRuns(api.platform.database, [runId], { node: 'n', now: time, leaseMs: 60_000 }).then((runs) => runs.length);
    expect(await at(now())).toBe(0);
    expect(await at(dueAgainAt - 5_000)).toBe(0);
    expect(await at(dueAgainAt)).toBe(1);
  });

  it('close runs of several tasks, each as it ended, with their attempts', async () => {
    const [one, two] = [await newTask(), await newTask()];
    const [a, b, c] = [await started(one), await started(two), await started(one)];
    const { settled, released } = await settle(
      success(c, { result: { text: STRANGE, n: [1.5, null] } }),
      failure(b, { errorInfo: STRANGE, response: { body: STRANGE } }),
      success(a, { result: STRANGE, withoutAttempt: true, request: null, response: null }),
    );
    expect(settled).toEqual(new Set([a.id, b.id, c.id]));
    expect(released).toEqual([]);
    expect(await read(a.id)).toMatchObject({ status: 'SUCCESS', result: STRANGE, http_status: 200, error_code: null });
    expect(await read(b.id)).toMatchObject({ status: 'FAILED', result: null, error_info: STRANGE, http_status: 500 });
    expect(await read(c.id)).toMatchObject({ status: 'SUCCESS', result: { text: STRANGE, n: [1.5, null] } });
    const attempts = await api.platform.database.client.runAttempt.findMany({
      where: { runId: { in: [a.id, b.id, c.id] } },
    });
    expect(attempts.map(({ runId }) => runId).sort()).toEqual([b.id, c.id].sort());
    expect(JSON.parse(attempts.find(({ runId }) => runId === b.id)?.response ?? '')).toEqual({ body: STRANGE });
    expect(await stateOf(one)).toMatchObject({ activeRuns: 0, failedTickAttempt: null });
    expect(await stateOf(two)).toMatchObject({ activeRuns: 0, failedTickAttempt: 1, lastEndedRunId: b.id });
    await nothingIsWrong();
  });

  it('keep what each success has brought, where all of them are successes', async () => {
    const task = await newTask();
    const [a, b, c, d] = [await started(task), await started(task), await started(task), await started(task)];
    const { settled } = await settle(
      success(a, { result: STRANGE, httpStatus: 201 }),
      success(b, { result: { text: STRANGE, n: [1.5, null] } }),
      success(c, { httpStatus: null }),
      success(d, { result: false, finishedAt: now() + 5 }),
    );
    expect(settled.size).toBe(4);
    expect(await read(a.id)).toMatchObject({ status: 'SUCCESS', result: STRANGE, http_status: 201, error_code: null });
    expect(await read(b.id)).toMatchObject({ result: { text: STRANGE, n: [1.5, null] }, http_status: 200 });
    expect(await read(c.id)).toMatchObject({ result: null, http_status: null, error_info: null });
    expect(await read(d.id)).toMatchObject({ result: false, status: 'SUCCESS' });
    expect((await read(d.id)).finished_at > (await read(a.id)).finished_at).toBe(true);
    await nothingIsWrong();
  });

  it('leave the task with what it remembers of the newest run, in whichever order they ended', async () => {
    const task = await newTask();
    const [older, newer] = [await started(task), await started(task)].sort((a, b) => (a.id < b.id ? -1 : 1));
    await settle(success(newer));
    await settle(failure(older));
    expect(await stateOf(task)).toMatchObject({ lastEndedRunId: newer.id, failedTickAttempt: null, activeRuns: 0 });
    const [first, second] = [await started(task), await started(task)].sort((a, b) => (a.id < b.id ? -1 : 1));
    await settle(failure(second), success(first));
    expect(await stateOf(task)).toMatchObject({ lastEndedRunId: second.id, failedTickAttempt: 1, activeRuns: 0 });
  });

  it('are none the worse for one among them that is stale', async () => {
    const task = await newTask();
    const [a, b] = [await started(task), await started(task)];
    const stale = failure(b, { execId: 'somebody-else' });
    expect((await settle(success(a), stale)).settled).toEqual(new Set([a.id]));
    expect(await read(a.id)).toMatchObject({ status: 'SUCCESS' });
    expect(await read(b.id)).toMatchObject({ status: 'RUNNING', attempts: [] });
    expect(await stateOf(task)).toMatchObject({ activeRuns: 1, lastEndedRunId: a.id });
    await nothingIsWrong();
  });

  it('are none the worse for a stale one where all others are everyday successes', async () => {
    const task = await newTask();
    const [a, b, c] = [await started(task), await started(task), await started(task)];
    const stale = success(b, { execId: 'somebody-else' });
    expect((await settle(success(a), stale, success(c))).settled).toEqual(new Set([a.id, c.id]));
    expect(await read(b.id)).toMatchObject({ status: 'RUNNING', finished_at: null, attempts: [] });
    expect((await settle(stale)).settled).toEqual(new Set());
    expect(await stateOf(task)).toMatchObject({ activeRuns: 1 });
    await nothingIsWrong();
  });

  it('keep each to its own run whatever their texts hold', async () => {
    const separator = '\u001f';
    const task = await newTask();
    const [a, b, c] = [await started(task), await started(task), await started(task)];
    await settle(
      failure(a, { errorInfo: `x${separator}y${separator}`, node: `n${separator}` }),
      failure(b, { errorInfo: '', response: { body: separator }, request: null }),
      success(c, { result: separator, httpStatus: null }),
    );
    expect((await read(a.id)).error_info).toMatch(/^x.y.$/);
    expect((await read(b.id)).error_info ?? '').toBe('');
    expect(await read(b.id)).toMatchObject({ status: 'FAILED', http_status: 500, error_code: 'HTTP_STATUS' });
    expect(await read(c.id)).toMatchObject({ status: 'SUCCESS', result: separator, http_status: null });
    const { response } = (await read(b.id)).attempts[0];
    expect(response).toMatchObject({ body: separator });
    await nothingIsWrong();
  });

  it('are of runs that were claimed with all there is to know of them', async () => {
    const body = taskBody({ max_concurrency: 0, timeout_seconds: 7 });
    const { data: task } = await api.http.post<{ id: string; name: string }>('/tasks', body);
    const order = { payload: { text: STRANGE, separator: '\u001f' }, priority: 7, attempt_timeout_seconds: 3 };
    const { data: given } = await api.http.post<{ id: string }>(`/tasks/${task.id}/runs`, order);
    const [stored, [run, plain]] = [
      await api.platform.database.client.taskRun.findUniqueOrThrow({ where: { id: given.id } }),
      await claim(given.id, await trigger(task.id)),
    ];
    expect(run).toEqual({
      ...{ id: given.id, tenantId: 'default', taskId: BigInt(task.id), taskName: task.name, taskVersion: 1 },
      ...{ trigger: stored.trigger, scheduledTime: stored.scheduledTime.getTime(), traceId: stored.traceId },
      ...{ queuedAt: stored.queuedAt!.getTime(), attempt: 1, tickAttempt: 1, maxAttempts: 1, priority: 7 },
      ...{ execId: expect.stringMatching(/^[0-9a-f-]{36}$/), attemptTimeoutSeconds: 3, payload: order.payload },
    });
    expect(plain).toMatchObject({ attemptTimeoutSeconds: null, payload: null, priority: 0 });
    await settle(success(run), success(plain));
  });

  it('give their slots to those who wait in line, also of one task among others', async () => {
    const [alone, crowded] = [await newTask(), await newTask(1)];
    const [a, b] = [await started(alone), await started(crowded)];
    const next = await trigger(crowded);
    const { settled, released } = await settle(success(a), success(b));
    expect(settled).toEqual(new Set([a.id, b.id]));
    expect(released.map((run) => run.id)).toEqual([next]);
    expect(await stateOf(crowded)).toMatchObject({ activeRuns: 1, queuedRuns: 0 });
    expect(await stateOf(alone)).toMatchObject({ activeRuns: 0 });
    await nothingIsWrong();
  });

  it('may end some runs for good and have others tried again', async () => {
    const task = await newTask();
    const [a, b] = [await started(task), await started(task)];
    await settle(success(a), failure(b, { status: 'RETRYING', dueAgainAt: now() + 60_000 }));
    expect(await read(b.id)).toMatchObject({ status: 'RETRYING' });
    expect(await stateOf(task)).toMatchObject({ activeRuns: 1, lastEndedRunId: a.id });
    await nothingIsWrong();
  });

  it('leave the runs in their pages, so that no index hears of their claims and ends', async () => {
    // The third version takes the room of the first, which PostgreSQL keeps as long as any transaction goes on that began before,
    // be it another test's, in another database of the server. A round beside one of those says nothing.
    let moved: number | undefined;
    const isAlone = async () => {
      const { data: task } = await api.http.post<{ name: string }>('/tasks', taskBody({ max_concurrency: 0 }));
      const ids = await jobs(task.name, 200);
      const before = await pagesOf(ids);
      const claimed = await claim(...ids);
      const others = await openTransactions();
      await settle(...claimed.map((run) => success(run, { result: { ok: true } })));
      const after = await pagesOf(ids);
      moved = ids.filter((id) => after.get(id) !== before.get(id)).length;
      return others === 0;
    };
    await eventually(isAlone, 'nobody else has a transaction open', 60_000);
    expect(moved).toBeLessThan(10);
  }, 90_000);
});
