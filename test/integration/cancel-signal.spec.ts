import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cancelRun } from '#database';
import type { RunStatus } from '#domain';
import { CancelWatch, EnqueueRuns, type Platform, RunPool } from '#pipeline';
import { eventually, insertTask, openStack, secondOf, type Stack, TargetStub } from '#testing';
import { readyPlatform, type RunningWorker, startWorker, tickOn } from '../support/product.js';

describe('a worker whose run is cancelled', () => {
  let stack: Stack;
  let platform: Platform;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/hang', { hang: true });
    // Leases are kept so rarely here that only signal and watch can be what aborts.
    worker = await startWorker(stack, { LEASE_SECONDS: '3600' });
    platform = await readyPlatform(stack);
  });

  afterAll(async () => {
    await worker?.stop();
    await platform?.close();
    await target?.close();
    await stack?.close();
  });

  const watch = () => worker.app.get(CancelWatch);

  beforeEach(async () => {
    await watch().stop();
    target.clear();
  });

  /** A run whose call hangs, and its execution. */
  const hangingRun = async (fields: object = {}) => {
    const before = target.calls.length;
    const due = secondOf(platform.clock.now());
    const where = { targetUrl: `${target.url}/hang`, timeoutSeconds: 60, retryPolicyJson: { strategy: 'none' } };
    const task = await insertTask(platform.database, { ...where, cronExpr: '0 0 0 1 1 *', nextFireAt: due, ...fields });
    await tickOn(platform, worker.app.get(EnqueueRuns), { graceSeconds: 60 }).runOnce();
    await target.waitFor(before + 1);
    const run = await platform.database.client.taskRun.findFirstOrThrow({ where: { taskId: task.id } });
    return { id: run.id, execId: run.execId!, call: target.calls[before] };
  };
  /** Whatever it becomes is due, or over, now. */
  const become = (id: string, status: RunStatus) => {
    const now = new Date(platform.clock.now());
    const data = { status, wakeAt: now, finishedAt: status === 'CANCELED' ? now : null };
    return platform.database.client.taskRun.update({ where: { id }, data });
  };
  const settled = () => worker.app.get(RunPool).drained();

  it('is told by a signal and closes the connection, and the result changes nothing', async () => {
    const { id, execId, call } = await hangingRun();
    await become(id, 'CANCELED');
    await eventually(() => {
      platform.queue.signals.send({ cancel: [{ id, execId }] });
      return Promise.resolve(call.aborted);
    }, 'the call is aborted');
    await settled();
    const after = await platform.database.client.taskRun.findUniqueOrThrow({ where: { id } });
    expect(after).toMatchObject({ status: 'CANCELED', errorCode: null, httpStatus: null });
    expect(await platform.database.client.runAttempt.count({ where: { runId: id } })).toBe(0);
  });

  it('finds it out by itself when the signal is lost', async () => {
    watch().start();
    const delays: number[] = [];
    for (let n = 0; n < 5; n++) {
      const { id, call } = await hangingRun();
      // All that cancelling does, without telling the workers.
      const reason = { errorCode: 'CANCELED', errorInfo: 'nobody was told' };
      await cancelRun(platform.database, { tenantId: 'default', id }, reason, platform.clock.now());
      const cancelledAt = Date.now();
      await target.waitFor(() => call.aborted === true);
      delays.push(call.endedAt! - cancelledAt);
      await settled();
      const after = await platform.database.client.taskRun.findUniqueOrThrow({ where: { id } });
      expect(after).toMatchObject({ status: 'CANCELED', errorInfo: 'nobody was told' });
    }
    // Within a second, also of a call that has only just begun; a machine that stands still now and then does not count.
    const middle = delays.sort((a, b) => a - b)[2];
    expect(middle).toBeLessThan(1_000);
  });

  it('is told when the next tick replaces it under CANCEL_PREV, and calls the target anew', async () => {
    const { id, call } = await hangingRun({ overlapAction: 'CANCEL_PREV', maxConcurrency: 1 });
    const { taskId } = await platform.database.client.taskRun.findUniqueOrThrow({ where: { id } });
    const nextFireAt = new Date(secondOf(platform.clock.now()).getTime() + 1_000);
    await platform.database.client.taskState.update({ where: { taskId }, data: { nextFireAt } });
    await eventually(() => Promise.resolve(platform.clock.now() >= nextFireAt.getTime()), 'the next second');
    await tickOn(platform, worker.app.get(EnqueueRuns), { graceSeconds: 60 }).runOnce();
    await target.waitFor(() => call.aborted === true);
    const [, next] = await target.waitFor(2);
    expect(next.runId).toBe(`${nextFireAt.getTime() / 1000}-${taskId}`);
    const statuses = await platform.database.client.taskRun.findMany({ where: { taskId }, orderBy: { id: 'asc' } });
    expect(statuses.map(({ status }) => status)).toEqual(['CANCELED', 'RUNNING']);
    const { id: last, execId } = statuses[1];
    await become(last, 'CANCELED');
    platform.queue.signals.send({ cancel: [{ id: last, execId: execId! }] });
    await target.waitFor(() => next.aborted === true);
  });

  it('takes a signal for hundreds of executions', async () => {
    const { id, execId, call } = await hangingRun();
    await become(id, 'CANCELED');
    const others = Array.from({ length: 300 }, (_, i) => ({ id: `1000000000-${i}`, execId: `none-${i}` }));
    platform.queue.signals.send({ cancel: [...others, { id, execId }] });
    await target.waitFor(() => call.aborted === true);
    await settled();
  });

  it('listens again when its connection was broken', async () => {
    // On Redis the client library does so; a shared server's connections are not ours to break.
    if (stack.redisUrl) return;
    await platform.database.client.$queryRawUnsafe(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
    );
    const { id, execId, call } = await hangingRun();
    await become(id, 'CANCELED');
    await eventually(() => {
      platform.queue.signals.send({ cancel: [{ id, execId }] });
      return Promise.resolve(call.aborted);
    }, 'the call is aborted');
    await settled();
  });

  it('goes on with the run that is its own again under a newer execution', async () => {
    const first = await hangingRun();
    const { priority, scheduledTime } = await become(first.id, 'RETRYING');
    await worker.app.get(EnqueueRuns).add([{ id: first.id, priority, dueAt: scheduledTime.getTime() }]);
    const [, second] = await target.waitFor(2);
    expect(second.runId).toBe(first.id);

    await eventually(
      () =>
        watch()
          .runOnce()
          .then(() => first.call.aborted),
      'the watch aborts the old execution',
    );
    platform.queue.signals.send({ cancel: [first] });
    const marker = await hangingRun();
    platform.queue.signals.send({ cancel: [marker] });
    await target.waitFor(() => marker.call.aborted === true);
    expect(second.aborted).toBeUndefined();

    const run = await platform.database.client.taskRun.findUniqueOrThrow({ where: { id: first.id } });
    expect(run).toMatchObject({ status: 'RUNNING', attempt: 2 });
    await become(run.id, 'CANCELED');
    platform.queue.signals.send({ cancel: [{ id: run.id, execId: run.execId! }] });
    await target.waitFor(() => second.aborted === true);
  });
});
