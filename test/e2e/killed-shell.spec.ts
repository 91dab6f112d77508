import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '#testing';
import { Deployment } from './support/deployment.js';
import { commandOf, isAlive } from './support/started-product.js';

describe('kill -9 of a worker with commands', () => {
  let deployment: Deployment;
  let folder: string;
  let left: number[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'punctual-killed-'));
    const SHELL_STATE_DIR = path.join(folder, 'state');
    deployment = await Deployment.start({ SHELL_EXECUTOR: 'enabled', SHELL_STATE_DIR });
  });

  afterAll(async () => {
    await deployment?.stop();
    for (const pid of left) if (isSleep(pid)) process.kill(pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const isSleep = (pid: number) => isAlive(pid) && commandOf(pid).includes('sleep');
  const trigger = (command: string, fields: object = {}) =>
    deployment.trigger({ executor: 'SHELL', command, timeout_seconds: 600, ...fields });
  /** The numbers a command has written, in one line. */
  const pidsIn = (file: string) =>
    eventually(async () => {
      const text = await readFile(file, 'utf8').catch(() => '');
      return text.endsWith('\n') && text.trim().split(' ').map(Number);
    }, `something is in ${file}`);

  it('what it left running is killed when a worker starts there again, and the runs go on without it', async () => {
    const worker = await deployment.worker();
    const [once, twice] = [path.join(folder, 'once'), path.join(folder, 'twice')];
    // One in the group of its bash, one that has left it.
    const lost = await trigger(`sleep 600 & a=$!; setsid sleep 600 & echo $$ $a $! >${once}; sleep 600`);
    const retried = await trigger(
      `[ $PUNCTUAL_ATTEMPT = 2 ] && exec echo again; sleep 600 & echo $$ $! >${twice}; sleep 600`,
      { retry_policy_json: { strategy: 'fixed', max_attempts: 2, interval_seconds: 1 } },
    );
    left = [...(await pidsIn(once)), ...(await pidsIn(twice))];
    expect(left).toHaveLength(5);
    await worker.killNow();
    expect(left.filter((pid) => !isSleep(pid))).toEqual([]);

    const next = await deployment.worker();
    await eventually(() => Promise.resolve(!left.some(isAlive)), 'all that was left is killed');
    const [ended, again] = [await deployment.becomes(lost, 'FAILED'), await deployment.becomes(retried, 'SUCCESS')];
    expect(ended).toMatchObject({ attempt: 1, error_code: 'NODE_LOST', result: null });
    expect(again).toMatchObject({ attempt: 2, result: { exit_code: 0, stdout: 'again\n' } });
    expect(again.attempts).toMatchObject([{ outcome: 'LOST', error_code: 'NODE_LOST' }, { outcome: 'SUCCESS' }]);
    expect(next.output).toContain('killed commands that a worker had left behind');
  });
});
