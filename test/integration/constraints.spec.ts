import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Prisma } from '#database';
import { RUN_STATUSES } from '#domain';
import type { Platform } from '#pipeline';
import { insertTask, openStack, type Stack } from '#testing';
import { readyPlatform } from '../support/product.js';

const AT = new Date('2026-01-05T10:00:00Z');

describe('the database itself refuses', () => {
  let stack: Stack;
  let platform: Platform;
  let taskId: bigint;
  let count = 0;

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
    taskId = (await insertTask(platform.database, {})).id;
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  const write = (fields: Partial<Prisma.TaskRunUncheckedCreateInput>) => {
    const run = {
      id: `${AT.getTime() / 1000 + ++count}-${taskId}`,
      taskId,
      taskName: 'x',
      trigger: 'CRON',
      traceId: 'a',
    };
    return platform.database.client.taskRun.create({
      data: { ...run, scheduledTime: AT, status: 'SCHEDULED', ...fields },
    });
  };
  const RUNNING = { status: 'RUNNING', execId: 'x', startedAt: AT };
  const FINAL = ['SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'MANUALLY_PROCESSED'];

  it('a run in a state that does not exist, or by a trigger that does not', async () => {
    await expect(write({ status: 'SLEEPING' })).rejects.toThrow();
    await expect(write({ trigger: 'WHIM' })).rejects.toThrow();
  });

  it.each(RUN_STATUSES)('a run that is %s and has an end it must not have, or has none and must', async (status) => {
    const needed = status === 'SKIPPED' ? { skipReason: 'OVERLAP' } : status === 'RUNNING' ? RUNNING : {};
    const isFinal = FINAL.includes(status) || status === 'SKIPPED';
    await expect(write({ ...needed, status, finishedAt: isFinal ? null : AT })).rejects.toThrow();
    await expect(write({ ...needed, status, finishedAt: isFinal ? AT : null })).resolves.toBeDefined();
  });

  it('a run that is skipped for no reason, or has a reason and is not', async () => {
    await expect(write({ status: 'SKIPPED', finishedAt: AT })).rejects.toThrow();
    await expect(write({ skipReason: 'OVERLAP' })).rejects.toThrow();
    await expect(write({ status: 'SKIPPED', finishedAt: AT, skipReason: 'BOREDOM' })).rejects.toThrow();
  });

  it('a run that is RUNNING under no execution, or since never', async () => {
    await expect(write({ ...RUNNING, execId: null })).rejects.toThrow();
    await expect(write({ ...RUNNING, startedAt: null })).rejects.toThrow();
  });

  it('counters below nothing', async () => {
    const { taskState } = platform.database.client;
    await expect(taskState.update({ where: { taskId }, data: { activeRuns: -1 } })).rejects.toThrow();
    await expect(taskState.update({ where: { taskId }, data: { queuedRuns: { decrement: 1 } } })).rejects.toThrow();
  });

  it('a second run of the same second', async () => {
    const { id } = await write({});
    await expect(write({ id })).rejects.toThrow();
  });
});
