import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { inSqlTransaction, lockTask, skipLateRuns } from '#database';
import { type EnqueueRuns, type Platform, TickLoop } from '#pipeline';
import { eventually, insertTask, openStack, type Stack } from '#testing';
import { readyPlatform, tickOn } from '../support/product.js';

const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;

describe('a due task whose row somebody holds', () => {
  let stack: Stack;
  let platform: Platform;
  let release: () => void = () => undefined;
  let held: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
  });

  afterEach(async () => {
    release();
    await held;
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  /** As a change of the task does, until `release`. */
  const hold = (id: bigint) =>
    new Promise<void>((locked, failed) => {
      held = inSqlTransaction(platform.database, async (sql) => {
        await lockTask(sql, 'default', id);
        const released = new Promise<void>((resolve) => (release = resolve));
        locked();
        await released;
      }).catch(failed);
    });
  const runOf = (taskId: bigint) => platform.database.client.taskRun.findFirst({ where: { taskId } });
  /** Due in the next second, or the one after if that is too near. Once, and never again. */
  const dueSoon = async () => {
    const due = Math.ceil((platform.clock.now() + 300) / 1000) * 1000;
    const task = await insertTask(platform.database, { cronExpr: '0 0 0 1 1 *', nextFireAt: new Date(due) });
    return { id: task.id, due };
  };
  const until = (time: number) => eventually(() => Promise.resolve(platform.clock.now() >= time), 'that time');

  it('is passed over, not waited for, and known to be left behind', async () => {
    const { id, due } = await dueSoon();
    const other = await insertTask(platform.database, { cronExpr: '0 0 0 1 1 *', nextFireAt: new Date(due) });
    await hold(id);
    await until(due);
    const tick = tickOn(platform, deaf);
    expect(await tick.runOnce()).toEqual({ tasks: 1, runs: 1 });
    const run = await runOf(other.id);
    expect(await runOf(id)).toBeNull();
    expect(run).toMatchObject({ status: 'SCHEDULED' });
    expect(await tick.leftBehind()).toBe(true);
    release();
    await held;
    expect(await tick.runOnce()).toEqual({ tasks: 1, runs: 1 });
    expect(await tick.leftBehind()).toBe(false);
  });

  it('holds up no other task, on tables so small that a scan would be cheaper than an index', async () => {
    const { id, due } = await dueSoon();
    const startBefore = new Date(due - 60_000);
    const run = { taskId: id - 1n, taskName: 'other', trigger: 'API', traceId: 'a', status: 'SCHEDULED', startBefore };
    await platform.database.client.taskRun.create({
      data: { ...run, id: `${due / 1000}-x`, scheduledTime: startBefore, wakeAt: startBefore },
    });
    await platform.database.client.taskState.update({ where: { taskId: id - 1n }, data: { activeRuns: 1 } });
    await hold(id);
    const { late } = await skipLateRuns(platform.database, [`${due / 1000}-x`], due);
    expect(late.size).toBe(1);
  });

  it('is taken within the same second, as soon as it is free', async () => {
    const { id, due } = await dueSoon();
    await hold(id);
    await until(due);
    const tick = tickOn(platform, deaf);
    const looks = jest.spyOn(tick, 'runOnce');
    // One tick now, and the next in an hour.
    const HOUR = 3_600_000;
    const clock = { now: () => (looks.mock.calls.length === 0 ? HOUR - 1 : 0) };
    const loop = new TickLoop(tick, clock, { intervalMs: HOUR, aheadMs: 0 }, platform.log);
    loop.start();
    try {
      await eventually(() => Promise.resolve(looks.mock.calls.length > 1), 'it has been passed over');
      expect(await runOf(id)).toBeNull();
      release();
      const run = await eventually(() => runOf(id), 'the run is there');
      expect(run.scheduledTime.getTime()).toBe(due);
    } finally {
      await loop.stop();
    }
  });
});
