import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { freePort, openStack, type Stack } from '#testing';
import { FleetProcess } from './support/fleet.js';

const root = path.resolve(import.meta.dirname, '../..');

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

/** What `npm run keys:create` runs once it is built, to its end. */
function createKey(stack: Stack, args: string[] = []): Promise<Answer> {
  const env = { ...process.env, DATABASE_URL: stack.databaseUrl, REDIS_URL: '' };
  return new Promise((resolve) => {
    execFile(process.execPath, ['dist/apps/keys/src/main.js', ...args], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe('an API that others can reach', () => {
  let stack: Stack;
  let api: FleetProcess | undefined;

  beforeAll(async () => {
    stack = await openStack();
  });

  afterAll(async () => {
    await api?.stop('SIGKILL');
    await stack?.close();
  });

  it('does not start without asking for keys, and says what to do', async () => {
    const open = await FleetProcess.start('api', stack, { HOST: '0.0.0.0', AUTH_MODE: 'none' });
    expect(await open.ended).toBe(1);
    expect(open.output).toContain('use AUTH_MODE=keys, or a loopback HOST');
  });

  it('takes the key that keys:create has made before anything was ever started', async () => {
    const { code, stdout, stderr } = await createKey(stack, ['--name', 'first']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('ADMIN of tenant default')]);
    const key = stdout.trim();
    expect(key).toMatch(/^pk_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
    expect(stderr).not.toContain(key);

    const port = await freePort();
    api = await FleetProcess.start('api', stack, { HOST: '0.0.0.0', PORT: String(port), SCHEDULER: 'disabled' });
    const url = `http://127.0.0.1:${port}`;
    Object.assign(api, { url });
    await api.ready();
    const status = async (headers: Record<string, string>) => {
      const answer = await fetch(`${url}/api/v1/tasks`, { headers });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await status({})).toBe(401);
    expect(await status({ authorization: `Bearer ${key}` })).toBe(200);
    expect(api.output).not.toContain(key);
  });

  it('explains keys:create, and makes none that is not asked for properly', async () => {
    expect((await createKey(stack, ['--help'])).stdout).toContain('--root');
    const wrong = await createKey(stack, ['--role', 'king']);
    expect([wrong.code, wrong.stdout, wrong.stderr]).toEqual([2, '', expect.stringContaining('--role must be one of')]);
  });
});
