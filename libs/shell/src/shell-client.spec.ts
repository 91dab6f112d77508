import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type CommandCall, ShellClient } from './index.js';
import { markOf } from './processes.js';

let stateDir: string;
let shell: ShellClient;
let count = 0;

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), 'punctual-shell-'));
  shell = new ShellClient({ env: ['PATH'], stateDir });
});
afterEach(async () => {
  shell.close();
  await rm(stateDir, { recursive: true });
});

const call = (command: string, more: Partial<CommandCall> = {}): CommandCall => ({
  ...{ execId: `exec-${process.pid}-${++count}`, command, env: { PUNCTUAL_RUN_ID: 'r1' }, timeoutMs: 60_000 },
  ...more,
});
const run = (command: string, more: Partial<CommandCall> = {}) => shell.run(call(command, more));

const isAlive = async (pid: number) => (await markOf(pid)) !== null;
const gone = async (pid: number) => {
  while (await isAlive(pid)) await pause(10);
};

describe('a command', () => {
  it('reads its input, and both its outputs are kept apart', async () => {
    const outcome = await run('cat; echo oops >&2', { stdin: '{"a":1}' });
    expect(outcome).toMatchObject({ kind: 'exit', code: 0, stdout: { text: '{"a":1}', bytes: 7 } });
    expect(outcome.stderr.text).toBe('oops\n');
  });

  it.each<[string, object]>([
    ['exit 7', { kind: 'exit', code: 7 }],
    ['kill -SEGV $$', { kind: 'signal', signal: 'SIGSEGV' }],
    ['no-such-program', { kind: 'exit', code: 127 }],
  ])('%s', async (command, expected) => expect(await run(command)).toMatchObject(expected));

  it('that does not read a long input is not disturbed by it', async () => {
    expect(await run('exit 0', { stdin: 'x'.repeat(1_000_000) })).toMatchObject({ kind: 'exit', code: 0 });
  });

  it('sees the variables it is given, those that are named, and no others', async () => {
    process.env.PUNCTUAL_TEST_SECRET = 'hush';
    const { stdout } = await run('env | cut -d= -f1 | sort | tr "\\n" " "');
    delete process.env.PUNCTUAL_TEST_SECRET;
    const ofBash = new Set(['PWD', 'SHLVL', '_', 'OLDPWD']);
    const seen = stdout.text.trim().split(' ');
    expect(seen.filter((name) => !ofBash.has(name))).toEqual(['PATH', 'PUNCTUAL_EXEC_ID', 'PUNCTUAL_RUN_ID']);
  });

  it('may write as much as it likes: the end is kept', async () => {
    const { stdout } = await run('head -c 20000000 /dev/zero | tr "\\0" "x"; printf "the end"');
    expect(stdout.bytes).toBe(20_000_007);
    expect(stdout.text).toHaveLength(16_384);
    expect(stdout.text.endsWith('xthe end')).toBe(true);
  });

  it('keeps no half characters', async () => {
    const { stdout } = await run(`for i in $(seq 6000); do printf '€'; done`);
    expect([stdout.bytes, [...new Set(stdout.text)]]).toEqual([18_000, ['€']]);
  });

  it('that takes too long is killed with all it has started', async () => {
    const outcome = await run('sleep 600 & echo $!; trap "" TERM; while :; do sleep 0.05; done', { timeoutMs: 500 });
    expect(outcome.kind).toBe('timeout');
    await gone(Number(outcome.stdout.text));
  });

  it('is asked to end before it is made to', async () => {
    const outcome = await run('trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.05; done', {
      timeoutMs: 1_000,
    });
    expect(outcome).toMatchObject({ kind: 'timeout', stdout: { text: 'up\nbye\n' } });
  });

  it('can be broken off', async () => {
    const outcome = await run('sleep 600', { abortable: (abort) => setTimeout(abort, 100) });
    expect(outcome.kind).toBe('aborted');
  });

  it('that is broken off before it starts never does', async () => {
    const outcome = await run('echo hello', { abortable: (abort) => abort() });
    expect(outcome).toMatchObject({ kind: 'aborted', stdout: { bytes: 0 } });
  });

  it('is over when its bash is, and leaves nobody behind in its group', async () => {
    const outcome = await run('sleep 600 & echo $!');
    expect(outcome).toMatchObject({ kind: 'exit', code: 0 });
    await gone(Number(outcome.stdout.text));
  });

  it('is over even if somebody who has left the group holds its output', async () => {
    const outcome = await run('setsid sleep 600 & echo $!');
    expect(outcome).toMatchObject({ kind: 'exit', code: 0 });
    process.kill(Number(outcome.stdout.text), 'SIGKILL');
  });

  it('does not start where it cannot be noted', async () => {
    await writeFile(path.join(stateDir, 'file'), '');
    const nowhere = new ShellClient({ env: [], stateDir: path.join(stateDir, 'file', 'below') });
    expect(await nowhere.run(call('echo hello'))).toMatchObject({ kind: 'error', stdout: { bytes: 0 } });
  });

  it('that the system refuses to start ends as an error', async () => {
    const outcome = await run(`: ${'x'.repeat(4_000_000)}`);
    expect(outcome).toMatchObject({ kind: 'error', message: expect.stringContaining('E2BIG') });
    expect(await readdir(stateDir)).toEqual([]);
  });

  it('is noted while it runs, and no longer', async () => {
    expect((await run(`ls '${stateDir}'`)).stdout.text).toMatch(/^exec-.*\.json\n$/);
    expect(await readdir(stateDir)).toEqual([]);
  });
});

describe('what a worker that was killed has left behind', () => {
  /** A command as such a worker would have started it. */
  const orphan = async (execId: string, command: string) => {
    const env = { PATH: process.env.PATH, PUNCTUAL_EXEC_ID: execId };
    const child = spawn('bash', ['-c', `${command}; true`], { env, detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    return child.pid!;
  };
  const note = (execId: string, worker: object) =>
    writeFile(path.join(stateDir, `${execId}.json`), JSON.stringify(worker));

  it('is killed, wherever it has gone; what belongs to a living worker is not', async () => {
    const self = (await markOf(process.pid))!;
    const dead = { ...self, startedAt: '1' };
    const [left, kept] = [`left-${process.pid}`, `kept-${process.pid}`];
    const pids = [await orphan(left, 'sleep 600'), await orphan(left, 'setsid sleep 600')];
    const other = await orphan(kept, 'sleep 600');
    await note(left, dead);
    await note(kept, self);
    expect(await shell.killOrphans()).toEqual([left]);
    for (const pid of pids) await gone(pid);
    expect(await isAlive(other)).toBe(true);
    expect(await readdir(stateDir)).toEqual([`${kept}.json`]);
    process.kill(-other, 'SIGKILL');
  });

  it('on another machine is not judged, and half a note is swept away', async () => {
    const self = (await markOf(process.pid))!;
    await note('elsewhere', { ...self, machine: 'another' });
    await writeFile(path.join(stateDir, 'half.json'), '{"pid":');
    expect(await shell.killOrphans()).toEqual([]);
    expect(await readdir(stateDir)).toEqual(['elsewhere.json']);
  });

  it('a note that is being written is left to its writer, unless that was long ago', async () => {
    for (const name of ['now.tmp', 'old.tmp']) await writeFile(path.join(stateDir, name), '{"pid":');
    await utimes(path.join(stateDir, 'old.tmp'), 0, 0);
    expect(await shell.killOrphans()).toEqual([]);
    expect(await readdir(stateDir)).toEqual(['now.tmp']);
  });
});
