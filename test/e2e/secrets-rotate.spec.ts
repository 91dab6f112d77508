import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { checkout, openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';

const key = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`;
const [OLD, NEW] = [key('k1', 1), key('k2', 2)];

describe('secrets:rotate, as it is built', () => {
  let stack: Stack;
  let api: RunningApi;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { SECRET_KEYS: OLD });
    const headers_json = { 'X-Own': { secret: 'canary-of-rotation' } };
    expect((await api.http.post('/tasks', taskBody({ headers_json }))).status).toBe(201);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  /** What `npm run secrets:rotate` runs once it is built: its exit code, and what it said. */
  function rotate(secretKeys: string, ...args: string[]): Promise<[number, string]> {
    const own = { DATABASE_URL: stack.databaseUrl, REDIS_URL: '', SECRET_KEYS: secretKeys, DATA_DIR: '/nonexistent' };
    const options = { cwd: checkout, env: { ...process.env, ...own } };
    return new Promise((resolve) => {
      execFile(process.execPath, ['dist/apps/secrets/src/main.js', ...args], options, (error, stdout, stderr) =>
        resolve([Number(error?.code ?? 0), stdout + stderr]),
      );
    });
  }

  it('says with --check what is not sealed with the first key, and changes nothing', async () => {
    for (let nth = 1; nth <= 2; nth++) {
      expect(await rotate(`${NEW},${OLD}`, '--check')).toEqual([1, expect.stringContaining('sealed with key "k1"')]);
    }
  });

  it('seals everything anew, and --check agrees, also without the old key', async () => {
    const done = [0, expect.stringContaining('✓ everything is sealed with key "k2"')];
    const answers = [
      await rotate(`${NEW},${OLD}`),
      await rotate(`${NEW},${OLD}`, '--check'),
      await rotate(NEW, '--check'),
    ];
    expect(answers).toEqual([done, done, done]);
    expect(JSON.stringify(answers)).not.toContain('canary-of-rotation');
  });

  it('says so when the key that sealed something is missing', async () => {
    expect(await rotate(OLD)).toEqual([
      1,
      expect.stringMatching(/k2[^]*cannot be opened: add the key that is missing/),
    ]);
  });

  it('does not look without keys, nor at what it does not understand', async () => {
    expect(await rotate('')).toEqual([2, expect.stringContaining('SECRET_KEYS is not set')]);
    expect(await rotate(NEW, '--chekc')).toEqual([2, expect.stringContaining('unknown argument --chekc')]);
  });
});
