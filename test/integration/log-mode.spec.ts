import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LogMode } from '#domain';
import { EnqueueRuns, type Platform } from '#pipeline';
import { eventually, insertTask, openStack, secondOf, type Stack, TargetStub } from '#testing';
import { readyPlatform, type RunningWorker, startWorker, tickOn } from '../support/product.js';

describe('log_mode', () => {
  let stack: Stack;
  let platform: Platform;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/good', { body: { answer: 42 } }).on('/bad', { status: 500, body: 'broken' });
    worker = await startWorker(stack);
    platform = await readyPlatform(stack);
  });

  afterAll(async () => {
    await worker?.stop();
    await platform?.close();
    await target?.close();
    await stack?.close();
  });

  /** One run, closed, and the attempts it has left. */
  const closed = async (logMode: LogMode, path: string) => {
    const { client } = platform.database;
    const task = await insertTask(platform.database, {
      ...{ logMode, targetUrl: target.url + path, bodyTemplate: '{"q":1}', headersJson: { Authorization: 'hush' } },
      ...{ cronExpr: '0 0 0 1 1 *', nextFireAt: secondOf(platform.clock.now()) },
    });
    await tickOn(platform, worker.app.get(EnqueueRuns), { graceSeconds: 60 }).runOnce();
    const run = await eventually(
      () => client.taskRun.findFirst({ where: { taskId: task.id, finishedAt: { not: null } } }),
      'the run is closed',
    );
    const attempts = await client.runAttempt.findMany({ where: { runId: run.id } });
    expect(JSON.stringify(attempts)).not.toContain('hush');
    const parsed = attempts.map(({ request, response, ...rest }) => ({
      ...rest,
      request: JSON.parse(request ?? 'null') as object,
      response: JSON.parse(response ?? 'null') as object,
    }));
    return { run, attempts: parsed };
  };

  it('none keeps the run of a success, and neither an attempt nor the result', async () => {
    const { run, attempts } = await closed('none', '/good');
    expect(run).toMatchObject({ status: 'SUCCESS', httpStatus: 200, result: null, attempt: 1 });
    expect(attempts).toEqual([]);
  });

  it('none keeps a failure in full', async () => {
    const { run, attempts } = await closed('none', '/bad');
    expect(run).toMatchObject({ status: 'FAILED', errorCode: 'HTTP_500', result: 'broken' });
    expect(attempts).toMatchObject([{ outcome: 'FAILED', request: { body: '{"q":1}' }, response: { body: 'broken' } }]);
  });

  it.each([
    ['/good', { status: 'SUCCESS', errorCode: null, result: null }, 200],
    ['/bad', { status: 'FAILED', errorCode: 'HTTP_500', result: null }, 500],
  ])('trigger_log keeps how a call to %s went, but no bodies', async (path, expected, status) => {
    const { run, attempts } = await closed('trigger_log', path);
    expect(run).toMatchObject(expected);
    expect(attempts).toMatchObject([{ httpStatus: status, outcome: run.status }]);
    expect(attempts[0].request).toEqual({ method: 'POST', url: target.url + path });
    expect(Object.keys(attempts[0].response).sort()).toEqual(['body_bytes', 'status', 'timings', 'truncated']);
  });

  it('trans_log keeps everything', async () => {
    const { run, attempts } = await closed('trans_log', '/good');
    expect(run).toMatchObject({ status: 'SUCCESS', result: { answer: 42 } });
    expect(attempts).toMatchObject([{ request: { body: '{"q":1}' }, response: { body: '{"answer":42}' } }]);
  });
});
