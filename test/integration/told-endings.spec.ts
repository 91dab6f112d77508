import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PLATFORM, type Platform, RescueNotices } from '#pipeline';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import { AgentWorld } from '../support/agents.js';
import { type RunningApi, startApi } from '../support/api.js';
import { AsyncRuns } from '../support/async-runs.js';
import { counted, runsTotal } from '../support/counted.js';
import { bodyOf } from '../support/notices.js';
import { type RunningWorker, startWorker } from '../support/product.js';

const QUICK = { NOTIFY_RETRY_SECONDS: '0,0,0', RESCUE_INTERVAL_MS: '600000' };
let count = 0;

describe('the end of a run that others carry out, and that somebody is to be told of', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let agents: AgentWorld;
  let async: AsyncRuns;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/async', { status: 202 });
    api = await startApi(stack, QUICK);
    worker = await startWorker(stack, QUICK);
    agents = new AgentWorld(api);
    async = new AsyncRuns(api, target);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const ofWorker = () => worker.app.get<Platform>(PLATFORM);
  /** Receivers of both kinds, at paths nobody else uses; the success is acknowledged when it is let. */
  const receivers = () => {
    const [good, bad] = [`/good-${++count}`, `/bad-${count}`];
    const { opened, open } = gate();
    target.on(good, { after: opened });
    const notify = { success: { url: target.url + good }, error: { url: target.url + bad } };
    const told = async (path: string) => {
      await target.waitFor((calls) => calls.some((call) => call.path === path));
      return target.callsTo(path);
    };
    return { notify, open, success: () => told(good), error: () => told(bad) };
  };
  const claimed = async (notify: object) => {
    const category = `told-${count}`;
    const id = await agents.trigger(await agents.create({ notify, category }), { payload: { order: 7 } });
    const [run] = await agents.claim({ categories: [category] });
    expect(run.id).toBe(id);
    return run;
  };

  it('an agent completes: COMPLETED, told, and SUCCESS once that is acknowledged, which is counted', async () => {
    const { notify, open, success } = receivers();
    const run = await claimed(notify);
    const before = await counted(ofWorker(), runsTotal('SUCCESS'));
    const delivered = await counted(ofWorker(), 'notices_total{outcome="delivered"}');
    expect((await agents.say(run, 'complete', { result: { rows: 3 } })).status).toBe(200);
    expect(await agents.run(run.id)).toMatchObject({ status: 'COMPLETED', result: { rows: 3 } });
    const [call] = await success();
    expect(bodyOf(call)).toMatchObject({ event: 'success', run_id: run.id, ext: { order: 7 }, result: { rows: 3 } });
    open();
    await agents.becomes(run.id, 'SUCCESS');
    await eventually(
      async () => (await counted(ofWorker(), runsTotal('SUCCESS'))) === before + 1,
      'the acknowledgement is counted',
    );
    expect(await counted(ofWorker(), 'notices_total{outcome="delivered"}')).toBe(delivered + 1);
  });

  it('an agent fails: FAILED at once, and told with what it said', async () => {
    const { notify, error } = receivers();
    const run = await claimed(notify);
    const said = { error_code: 'DISK_FULL', error_info: 'no space left', retryable: false };
    expect((await agents.say(run, 'fail', said)).status).toBe(200);
    expect(await agents.run(run.id)).toMatchObject({ status: 'FAILED' });
    const [call] = await error();
    expect(bodyOf(call)).toMatchObject({
      event: 'error',
      run_id: run.id,
      status: 'FAILED',
      error_info: 'no space left',
    });
  });

  it('a callback says SUCCESS: COMPLETED, told, and SUCCESS once that is acknowledged', async () => {
    const { notify, open, success } = receivers();
    const started = await async.waiting({ notify });
    const answer = await started.say({ status: 'SUCCESS', result: { rows: 4 } });
    expect([answer.status, answer.data.status]).toEqual([200, 'COMPLETED']);
    const [call] = await success();
    expect(bodyOf(call)).toMatchObject({ event: 'success', run_id: started.runId, result: { rows: 4 } });
    expect(await async.read(started.runId)).toMatchObject({ status: 'COMPLETED', finished_at: null });
    open();
    expect((await async.becomes(started.runId, 'SUCCESS')).finished_at).not.toBeNull();
  });

  it('a callback says FAILURE: FAILED, and told', async () => {
    const { notify, error } = receivers();
    const started = await async.waiting({ notify });
    expect((await started.say({ status: 'FAILURE', error_info: 'broken' })).data.status).toBe('FAILED');
    const [call] = await error();
    expect(bodyOf(call)).toMatchObject({ event: 'error', status: 'FAILED', error_info: 'broken' });
  });

  it('what waits to be delivered is seen, with its age, and so is what rescue tells the queue again', async () => {
    const { database, clock } = api.platform;
    const { notify, open } = receivers();
    const started = await async.waiting({ notify });
    await started.say({ status: 'SUCCESS' });
    const { id } = await eventually(
      () => database.client.outbox.findFirst({ where: { runId: started.runId, claimId: { not: null } } }),
      'it is being sent',
    );
    // As if that had begun long ago, in a worker that is gone.
    const past = new Date(clock.now() - 90_000);
    await database.client.outbox.update({ where: { id }, data: { nextAttemptAt: past, createdAt: past } });
    const rescued = 'rescued_total{kind="notices",reason="overdue"}';
    const before = await counted(api.platform, rescued);
    await api.app.get(RescueNotices).runOnce();
    expect(await counted(api.platform, rescued)).toBe(before + 1);
    // Asked for the first time here: later answers are kept for a while.
    const fresh = await startApi(stack, QUICK);
    try {
      expect(await counted(fresh.platform, 'notices_pending')).toBeGreaterThanOrEqual(1);
      expect(await counted(fresh.platform, 'notices_oldest_seconds')).toBeGreaterThanOrEqual(80);
    } finally {
      await fresh.stop();
      open();
    }
    await async.becomes(started.runId, 'SUCCESS');
  });
});
