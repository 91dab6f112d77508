import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { retireRuns, takeRetention, type Task } from '#database';
import { RUN_STATUSES, retentionSteps } from '#domain';
import type { Platform } from '#pipeline';
import { insertTask, openStack, type Stack } from '#testing';
import { days, keeping, OldRuns, retentionOn } from '../support/old-runs.js';
import { readyPlatform } from '../support/product.js';

describe('retention', () => {
  let stack: Stack;
  let platform: Platform;
  let old: OldRuns;
  let task: Task;

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
    old = new OldRuns(platform);
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  beforeEach(async () => {
    const { taskRun, runArchive, outbox, runAttempt } = platform.database.client;
    for (const table of [taskRun, runArchive, outbox, runAttempt]) await (table as typeof taskRun).deleteMany();
    await platform.database.client.retentionLease.updateMany({ data: { holder: null, expiresAt: new Date(0) } });
    task = await insertTask(platform.database);
  });

  it('moves SUCCESS and MANUALLY_PROCESSED runs to the archive when they are old enough, and nothing else', async () => {
    const ids = new Map<string, string>();
    for (const status of RUN_STATUSES) ids.set(status, await old.write(task, 2, { status }));
    const young = await old.write(task, 0.9);
    const report = await retentionOn(platform, { archiveAfterMs: days(1) }).runOnce();
    expect(report).toMatchObject({ archived: 2, isBehind: false });
    const { live, archived } = await old.places([...ids.values(), young]);
    expect(archived).toEqual([ids.get('SUCCESS'), ids.get('MANUALLY_PROCESSED')].sort());
    expect(live).toHaveLength(RUN_STATUSES.length - 2 + 1);
  });

  it('keeps every column of a run that it moves', async () => {
    const id = await old.write(task, 2, {
      ...{ trigger: 'CATCH_UP', category: 'c', creator: 'me', priority: 3, missedCount: 4, missedFrom: new Date(0) },
      ...{ queuedAt: new Date(1_000), deadlineAt: new Date(2_000), heartbeatDeadlineAt: new Date(3_000) },
      ...{ maxAttempts: 5, tickAttempt: 2, node: 'n', attemptTimeoutSeconds: 9, result: ['r'], progress: { p: 1 } },
      ...{ errorCode: 'E', errorInfo: 'i', httpStatus: 200, remark: 'ü', status: 'MANUALLY_PROCESSED' },
    });
    const { client } = platform.database;
    const run = await client.taskRun.findUniqueOrThrow({ where: { id } });
    // Of no use to a run that is over, and so left behind.
    const { attention, skipReason, blockedBy, startBefore, attemptStartedAt, wakeAt, ...before } = run;
    expect(attention).toBe(before.status);
    expect([skipReason, blockedBy, startBefore, attemptStartedAt, wakeAt]).toEqual([null, null, null, null, null]);
    await retentionOn(platform, { archiveAfterMs: days(1) }).runOnce();
    const { archivedAt, ...after } = await client.runArchive.findUniqueOrThrow({ where: { id } });
    expect(after).toEqual(before);
    expect(Math.abs(archivedAt.getTime() - platform.clock.now())).toBeLessThan(60_000);
  });

  it('deletes each status at its own age, wherever the run is, with all that belongs to it', async () => {
    const ages = { SUCCESS: 10, MANUALLY_PROCESSED: 20, FAILED: 30, TIMEOUT: 40, CANCELED: 50, SKIPPED: 60 };
    const [due, kept]: string[][] = [[], []];
    for (const [status, age] of Object.entries(ages)) {
      due.push(await old.write(task, age + 1, { status }), await old.write(task, age + 2, { status }));
      kept.push(await old.write(task, age - 1, { status }));
    }
    for (const id of [...due, ...kept]) await old.belongings(id, task.id);
    await retentionOn(platform, { archiveAfterMs: days(5) }).runOnce();
    expect((await old.places(due)).archived).toHaveLength(4);
    const deleteAfterMs = Object.fromEntries(Object.entries(ages).map(([status, age]) => [status, days(age)]));
    const report = await retentionOn(platform, { deleteAfterMs }).runOnce();
    expect(report?.deleted).toEqual({
      SUCCESS: 2,
      MANUALLY_PROCESSED: 2,
      FAILED: 2,
      TIMEOUT: 2,
      CANCELED: 2,
      SKIPPED: 2,
    });
    expect(await old.places(due)).toEqual({ live: [], archived: [] });
    expect(await old.countBelongings(due)).toBe(0);
    const { live, archived } = await old.places(kept);
    expect([live.length, archived.length]).toEqual([4, 2]);
    expect(await old.countBelongings(kept)).toBe(kept.length * 6);
  });

  it('never deletes what waits for a person, for its notice or for its turn, however old it is', async () => {
    const unfinished = RUN_STATUSES.filter(
      (status) => !/SUCCESS|FAILED|TIMEOUT|CANCELED|SKIPPED|MANUALLY/.test(status),
    );
    const ids = [];
    for (const status of unfinished) ids.push(await old.write(task, 4_000, { status }));
    expect(unfinished).toContain('PENDING');
    await retentionOn(platform, everythingAfter(1)).runOnce();
    expect((await old.places(ids)).live).toHaveLength(unfinished.length);
  });

  it('counts from the end of a run, not from when it was scheduled', async () => {
    const id = await old.write(task, 100, { finishedAt: new Date(platform.clock.now() - days(0.5)) });
    await retentionOn(platform, everythingAfter(1)).runOnce();
    expect((await old.places([id])).live).toEqual([id]);
  });

  it('a delivery that is not through yet keeps its run, one that was given up does not', async () => {
    const [waits, over] = [await old.write(task, 9), await old.write(task, 9)];
    await old.delivery(waits, task.id, 'PENDING');
    await old.delivery(over, task.id, 'FAILED');
    const retention = retentionOn(platform, everythingAfter(1));
    await retention.runOnce();
    expect((await old.places([waits, over])).live).toEqual([waits]);
    expect(await old.countBelongings([waits, over])).toBe(1);
    await platform.database.client.outbox.updateMany({
      where: { runId: waits },
      data: { status: 'DELIVERED', nextAttemptAt: null, deliveredAt: new Date() },
    });
    await retention.runOnce();
    expect((await old.places([waits])).live).toEqual([]);
    expect(await old.countBelongings([waits])).toBe(0);
  });

  it('a pass does a bounded part, oldest first, and the next one goes on', async () => {
    const ids = [];
    for (let i = 0; i < 10; i++) ids.push(await old.write(task, 20 - i));
    const retention = retentionOn(platform, { archiveAfterMs: days(1) }, { mostRows: 6 });
    expect(await retention.runOnce()).toMatchObject({ archived: 6, isBehind: true });
    expect((await old.places(ids)).archived).toEqual(ids.slice(0, 6));
    expect(await retention.runOnce()).toMatchObject({ archived: 4, isBehind: false });
  });

  it('one process does it at a time, and the others do not come right after it', async () => {
    for (let i = 0; i < 20; i++) await old.write(task, 2);
    const kept = { archiveAfterMs: days(1) };
    const processes = ['a', 'b', 'c'].map((holder) => retentionOn(platform, kept, { holder, restMs: 60_000 }));
    const reports = await Promise.all(processes.map((one) => one.runOnce()));
    expect(reports.filter((report) => report !== null)).toEqual([expect.objectContaining({ archived: 20 })]);
    expect(await retentionOn(platform, kept, { holder: 'd' }).runOnce()).toBeNull();
  });

  it('a process that stood still until its lease was over changes nothing more, even in the middle of a pass', async () => {
    const id = await old.write(task, 9);
    const frozen = { holder: 'frozen', leaseMs: 1 };
    expect(await takeRetention(platform.database, frozen)).toBe(true);
    const other = retentionOn(platform, {}, { holder: 'other' });
    let taken = null;
    while (taken === null) taken = await other.runOnce();
    const [step] = retentionSteps(keeping(everythingAfter(1)), platform.clock.now()).filter(
      ({ from }) => from === 'runs',
    );
    const order = { ...step, tenantId: 'default', after: '', limit: 10, now: platform.clock.now() };
    expect(await retireRuns(platform.database, frozen, order)).toBeNull();
    expect((await old.places([id])).live).toEqual([id]);
  });

  it('a run that another transaction holds waits for the next pass', async () => {
    const [first, second] = [
      await old.write(task, 9, { status: 'FAILED' }),
      await old.write(task, 8, { status: 'FAILED' }),
    ];
    const hold = {
      postgresql: 'SELECT id FROM task_runs WHERE id = $1 FOR UPDATE',
      mysql: 'SELECT id FROM task_runs WHERE id = ? FOR UPDATE',
    };
    const retention = retentionOn(platform, everythingAfter(1));
    await platform.database.driver.transaction(async (sql) => {
      await sql.rows(hold, first);
      expect((await retention.runOnce())?.deleted.FAILED).toBe(1);
    });
    expect((await old.places([first, second])).live).toEqual([first]);
    expect((await retention.runOnce())?.deleted.FAILED).toBe(1);
  });

  it('every tenant’s runs grow old', async () => {
    const other = await insertTask(platform.database, { tenantId: 'elsewhere' });
    const ids = [await old.write(task, 9), await old.write(other, 9, { tenantId: 'elsewhere' })];
    await retentionOn(platform, { archiveAfterMs: days(1) }).runOnce();
    expect((await old.places(ids)).archived).toHaveLength(2);
  });

  it('much of one tenant does not hold up what is of another', async () => {
    const other = await insertTask(platform.database, { tenantId: 'elsewhere' });
    const many = [];
    for (let i = 0; i < 6; i++) many.push(await old.write(task, 9, { status: 'TIMEOUT' }));
    const one = await old.write(other, 9, { status: 'TIMEOUT', tenantId: 'elsewhere' });
    const kept = { deleteAfterMs: { TIMEOUT: days(1) } };
    const retention = retentionOn(platform, kept, { batchSize: 2, mostRows: 2 });
    await retention.runOnce();
    await retention.runOnce();
    expect((await old.places([one])).live).toEqual([]);
    expect((await old.places(many)).live).not.toEqual([]);
    while ((await retention.runOnce())!.isBehind);
    expect((await old.places(many)).live).toEqual([]);
  });

  it('deleted tasks go when nothing is left of them, live ones stay', async () => {
    const { client } = platform.database;
    const at = new Date(platform.clock.now() - days(3));
    const gone = async (fields = {}) =>
      insertTask(platform.database, { deleted: true, liveName: null, updatedAt: at, ...fields });
    const [empty, withRun, fresh] = [
      await gone(),
      await gone(),
      await gone({ updatedAt: new Date(platform.clock.now()) }),
    ];
    const run = await old.write(withRun, 9);
    const retention = retentionOn(platform, { archiveAfterMs: days(1) });
    const left = async () => {
      const ids = [empty, withRun, fresh, task].map(({ id }) => id);
      const rows = await client.task.findMany({
        where: { id: { in: ids } },
        orderBy: { id: 'asc' },
        select: { id: true },
      });
      return rows.map(({ id }) => id);
    };
    await retention.runOnce();
    await retention.runOnce();
    expect(await left()).toEqual([task.id, withRun.id, fresh.id]);
    expect(await client.taskState.count({ where: { taskId: empty.id } })).toBe(0);
    await retentionOn(platform, everythingAfter(1)).runOnce();
    expect((await old.places([run])).archived).toEqual([]);
    await retention.runOnce();
    expect(await left()).toEqual([task.id, fresh.id]);
  });

  it('backfills that ended long ago are deleted, unfinished ones stay', async () => {
    const { backfill } = platform.database.client;
    const [at, none] = [new Date(platform.clock.now() - days(9)), { openRuns: [], totalSeconds: 0, maxParallel: 1 }];
    const row = { taskId: task.id, fromAt: at, toAt: at, cursorAt: at, createdAt: at, updatedAt: at, ...none };
    const text = { cronExpr: '* * * * * *', timezone: 'UTC', traceId: '0'.repeat(32) };
    await backfill.create({ data: { ...row, ...text, status: 'DONE', finishedAt: at } });
    await backfill.create({ data: { ...row, ...text, status: 'RUNNING' } });
    expect(await retentionOn(platform, { backfillsAfterMs: days(5) }).runOnce()).toMatchObject({ backfills: 1 });
    expect(await backfill.findMany({ where: { taskId: task.id }, select: { status: true } })).toEqual([
      { status: 'RUNNING' },
    ]);
  });
});

/** Everything that may be deleted is, so many days after its end. */
const everythingAfter = (count: number) => {
  const age = days(count);
  return {
    deleteAfterMs: { SUCCESS: age, MANUALLY_PROCESSED: age, FAILED: age, TIMEOUT: age, CANCELED: age, SKIPPED: age },
  };
};
