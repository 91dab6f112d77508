import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimRuns, inSqlTransaction, keepLeases } from '#database';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { startWorker } from '../support/product.js';

const LOCK_RUN = {
  postgresql: 'SELECT id FROM task_runs WHERE id = $1 FOR UPDATE',
  mysql: 'SELECT id FROM task_runs WHERE id = ? FOR UPDATE',
};

describe('a run whose row somebody holds', () => {
  let stack: Stack;
  let api: RunningApi;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack, { DATABASE_TIMEOUT_MS: '3000' });
  });

  afterAll(async () => {
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const trigger = async (fields: object = {}) => {
    const { data } = await api.http.post('/tasks', taskBody(fields));
    return (await api.http.post(`/tasks/${data.id}/runs`)).data.id as string;
  };
  const wakeAt = async (id: string) =>
    (await api.platform.database.client.taskRun.findUniqueOrThrow({ where: { id } })).wakeAt!.getTime();

  /** Has the run held for as long as the work takes. */
  const whileHeld = (id: string, work: () => Promise<void>): Promise<void> =>
    inSqlTransaction(api.platform.database, async (sql) => {
      await sql.rows(LOCK_RUN, id);
      let isOver = false;
      const done = work().finally(() => (isOver = true));
      // Not idle meanwhile: such a transaction would be ended.
      while (!isOver) await Promise.all([sql.rows(LOCK_RUN, id), pause(200)]);
      await done;
    });

  it('is left out of a claim, and keeps no other run from it', async () => {
    const [held, free] = [await trigger(), await trigger()];
    const { database, clock } = api.platform;
    await whileHeld(held, async () => {
      const claimed = await claimRuns(database, [held, free], { node: 'w', now: clock.now(), leaseMs: 60_000 });
      expect(claimed.map(({ id }) => id)).toEqual([free]);
    });
    const [claimed] = await claimRuns(database, [held], { node: 'w', now: clock.now(), leaseMs: 60_000 });
    expect(claimed.id).toBe(held);
  });

  it('keeps its lease when it is free again, and all others keep theirs meanwhile', async () => {
    const { database, clock } = api.platform;
    const by = { node: 'w', now: clock.now(), leaseMs: 60_000 };
    const runs = await claimRuns(database, [await trigger(), await trigger(), await trigger()], by);
    const [held, free, gone] = runs;
    const before = await wakeAt(held.id);
    const until = before + 60_000;
    const mistaken = { id: gone.id, execId: 'somebody else’s' };
    await whileHeld(held.id, async () => {
      const kept = await keepLeases(database, [held, free, mistaken], until);
      const { id, execId } = held;
      expect(kept).toEqual({ lost: [mistaken], held: [expect.objectContaining({ id, execId })] });
      expect([await wakeAt(held.id), await wakeAt(free.id)]).toEqual([before, until]);
    });
    expect(await keepLeases(database, [held, free], until)).toEqual({ lost: [], held: [] });
    expect(await wakeAt(held.id)).toBe(until);
    expect(await wakeAt(gone.id)).toBe(before);
  });

  it('costs its worker no call, however long it is held', async () => {
    const open = gate();
    target.on('/held', { after: open.opened });
    const url = { target_url: `${target.url}/held`, timeout_seconds: 60 };
    const worker = await startWorker(stack, { LEASE_SECONDS: '5', DATABASE_TIMEOUT_MS: '3000' });
    try {
      const [held, free] = [await trigger(url), await trigger(url)];
      const calls = await target.waitFor(2);
      // Longer than a lease: by then the worker would have to take itself for lost.
      await whileHeld(held, () => pause(8_000));
      expect(calls.map(({ aborted }) => aborted ?? false)).toEqual([false, false]);
      open.open();
      const isOver = async () => (await api.http.get(`/runs/${free}`)).data.status === 'SUCCESS';
      await eventually(isOver, 'the other one has succeeded');
    } finally {
      await worker.stop();
    }
  }, 60_000);
});
