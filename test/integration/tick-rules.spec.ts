import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { jitterMs, LOST_AFTER_MS } from '#domain';
import { insertTask, openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { Ticking } from '../support/ticking.js';

const at = (time: string) => `2026-01-05T${time}Z`;
const ran = (...times: string[]) => times.map((time) => `${at(time)} CRON SCHEDULED`);

describe('the rules of the tick', () => {
  let stack: Stack;
  let api: RunningApi;
  let ticking: Ticking;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
    ticking = new Ticking(api.platform);
    jest.spyOn(api.platform.clock, 'now').mockImplementation(() => ticking.clock.now());
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  afterEach(() => ticking.forget());

  /** Created through the API at that time, to fire every minute. */
  const create = async (time: string, fields: object = {}): Promise<bigint> => {
    ticking.set(at(time));
    const body = taskBody({ cron_expr: '* * * * *', max_concurrency: 0, catch_up_mode: 'FULL', ...fields });
    const { status, data } = await api.http.post<{ id: string }>('/tasks', body);
    expect(status).toBe(201);
    return BigInt(data.id);
  };
  const change = async (time: string, id: bigint, fields: object) => {
    ticking.set(at(time));
    expect((await api.http.patch(`/tasks/${id}`, fields)).status).toBe(200);
  };
  const post = async (time: string, path: string) => {
    ticking.set(at(time));
    expect((await api.http.post(path)).status).toBe(200);
  };

  describe('start and end', () => {
    it('a task fires from its start to its end, both included', async () => {
      const id = await create('10:00:30', { start_at: at('10:03:00'), end_at: at('10:05:00') });
      expect(await ticking.nextFire(id)).toBe(at('10:03:00'));
      const fires = await ticking.firesUntil(id, at('10:30:00'));
      expect(fires).toEqual([at('10:03:00'), at('10:04:00'), at('10:05:00')]);
      expect(await ticking.nextFire(id)).toBeNull();
    });

    it('a task whose end has passed never fires', async () => {
      const id = await create('10:00:30', { end_at: at('10:00:40') });
      await ticking.tickAt(at('10:05:00'));
      expect(await ticking.shown(id)).toEqual([]);
    });
  });

  describe('jitter', () => {
    it('delays the start and keeps the second the run is known by', async () => {
      const id = await create('10:00:30', { jitter_seconds: 600 });
      await ticking.tickAt(at('10:01:00.1'));
      const second = Date.parse(at('10:01:00')) / 1000;
      const dueAt = second * 1000 + jitterMs(id, second, 600);
      const [run] = await ticking.runsOf(id);
      expect(run).toMatchObject({
        id: `${second}-${id}`,
        scheduledTime: new Date(at('10:01:00')),
        status: 'SCHEDULED',
      });
      expect(ticking.told).toMatchObject([{ id: run.id, dueAt }]);
      expect(run.wakeAt!.getTime()).toBe(Math.max(dueAt, Date.parse(at('10:01:00.1'))) + LOST_AFTER_MS);
      expect(await ticking.nextFire(id)).toBe(at('10:02:00'));
    });

    it('is the same whichever scheduler works it out, and does not make a second run of the second', async () => {
      const id = await create('10:00:30', { jitter_seconds: 600 });
      await ticking.tickAt(at('10:01:00.1'));
      const [{ dueAt }] = ticking.told;
      const nextFireAt = new Date(at('10:01:00'));
      await api.platform.database.client.taskState.update({ where: { taskId: id }, data: { nextFireAt } });
      await ticking.tickAt(at('10:01:00.2'));
      expect(await ticking.shown(id)).toEqual(ran('10:01:00'));
      expect(ticking.told).toHaveLength(1);
      expect(dueAt - nextFireAt.getTime()).toBe(jitterMs(id, nextFireAt.getTime() / 1000, 600));
    });
  });

  describe('changing a task', () => {
    it('takes back what was planned and plans anew from the change on', async () => {
      const id = await create('10:00:30');
      await change('10:00:40', id, { cron_expr: '30 * * * * *' });
      await ticking.tickAt(at('10:01:00.1'));
      expect(await ticking.shown(id)).toEqual([]);
      expect(await ticking.firesUntil(id, at('10:03:00'))).toEqual([at('10:01:30'), at('10:02:30')]);
    });

    it.each([
      ['its schedule', { cron_expr: '0 */2 * * * *' }],
      ['its zone', { timezone: 'Asia/Kathmandu' }],
      ['its start', { start_at: at('10:00:00') }],
    ])('%s, after a while without a scheduler, brings nothing of that while back', async (_title, fields) => {
      const id = await create('10:00:30');
      await change('10:09:30', id, fields);
      await ticking.tickAt(at('10:10:00.1'));
      expect(await ticking.shown(id)).toEqual(ran('10:10:00'));
    });

    it('in anything but its schedule leaves alone what is due', async () => {
      const id = await create('10:00:30');
      await change('10:01:00.05', id, { description: 'the same minute' });
      await ticking.tickAt(at('10:01:00.1'));
      expect(await ticking.shown(id)).toEqual(ran('10:01:00'));
    });
  });

  describe('disabling a task', () => {
    it.each(['NONE', 'COMPACT', 'FULL'])('and enabling it again never replays the pause (%s)', async (mode) => {
      const id = await create('10:00:30', { catch_up_mode: mode });
      await ticking.tickAt(at('10:01:00.1'));
      await post('10:01:30', `/tasks/${id}/disable`);
      expect(await ticking.nextFire(id)).toBeNull();
      await ticking.tickAt(at('10:05:00.1'));
      await post('10:09:30', `/tasks/${id}/enable`);
      expect(await ticking.nextFire(id)).toBe(at('10:10:00'));
      await ticking.tickAt(at('10:10:00.1'));
      expect(await ticking.shown(id)).toEqual(ran('10:01:00', '10:10:00'));
    });

    it('by a change of its status does the same', async () => {
      const id = await create('10:00:30');
      await change('10:00:40', id, { status: 'DISABLED' });
      await ticking.tickAt(at('10:05:00.1'));
      await change('10:09:30', id, { status: 'ENABLED' });
      await ticking.tickAt(at('10:10:00.1'));
      expect(await ticking.shown(id)).toEqual(ran('10:10:00'));
    });

    it('takes back a tick that is due and not yet taken', async () => {
      const id = await create('10:00:30');
      await post('10:01:00.05', `/tasks/${id}/disable`);
      await ticking.tickAt(at('10:01:00.1'));
      await post('10:01:00.2', `/tasks/${id}/enable`);
      await ticking.tickAt(at('10:02:00.1'));
      expect(await ticking.shown(id)).toEqual(ran('10:02:00'));
    });
  });

  it('enabling what is enabled already loses no tick', async () => {
    const id = await create('10:00:30');
    await post('10:01:00.05', `/tasks/${id}/enable`);
    await ticking.tickAt(at('10:01:00.1'));
    expect(await ticking.shown(id)).toEqual(ran('10:01:00'));
  });

  it('two schedulers at once give each second of each task once', async () => {
    const { database } = api.platform;
    const nextFireAt = new Date(at('12:00:00'));
    const tasks = await Promise.all(
      Array.from({ length: 40 }, (_, i) => insertTask(database, { name: `both-${i}`, nextFireAt, maxConcurrency: 0 })),
    );
    const both = [ticking.tick({ batchSize: 7 }), ticking.tick({ batchSize: 7 })];
    for (let second = 0; second < 5; second++) {
      ticking.set(nextFireAt.getTime() + second * 1000 + 20);
      const reports = await Promise.all(both.map((tick) => tick.runOnce()));
      expect(reports[0].runs + reports[1].runs).toBe(40);
    }
    const wanted = tasks.flatMap(({ id }) => [0, 1, 2, 3, 4].map((i) => `${nextFireAt.getTime() / 1000 + i}-${id}`));
    const rows = await database.client.taskRun.findMany({ where: { taskId: { in: tasks.map(({ id }) => id) } } });
    expect(rows.map((run) => run.id).sort()).toEqual(wanted.sort());
    expect(ticking.told.map((run) => run.id).sort()).toEqual(wanted);
    expect(new Set(rows.map((run) => run.status))).toEqual(new Set(['SCHEDULED']));
  });
});
