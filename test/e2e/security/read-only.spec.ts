import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { FleetProcess } from '../support/fleet.js';

const root = path.resolve(import.meta.dirname, '../../..');
const NOBODY = 65_534;

/** Node.js' own ban on writing, on starting programs and threads: it holds for any user, and for any path. */
const permission = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';
const ban = ['--no-warnings', permission, '--allow-fs-read=*', '--allow-addons'];

/** As in the container: an account that owns nothing, with no home and nowhere to put temporary files. */
const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs'];
const HOMELESS = { HOME: '/nonexistent', TMPDIR: '/nonexistent' };

const canBecomeNobody = process.getuid?.() === 0 && isReadableForNobody();

function isReadableForNobody(): boolean {
  try {
    const file = path.join(root, 'dist/apps/api/src/main.js');
    execFileSync(asNobody[0], [...asNobody.slice(1), 'test', '-r', file], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const WAYS: [string, { through?: string[]; flags?: string[] }][] = [
  ['forbidden to write by Node.js', { flags: ban }],
  ...(canBecomeNobody ? [['run by an account that owns nothing', { through: asNobody }] as [string, object]] : []),
];

describe.each(WAYS)('the product, %s', (_, how) => {
  let stack: Stack;
  let target: TargetStub;
  const processes: FleetProcess[] = [];

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
  });
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.stop()));
    await target?.close();
    await stack?.close();
  });

  it('serves and works: neither the API nor a worker writes a file', async () => {
    for (const app of ['api', 'worker'] as const) processes.push(await FleetProcess.start(app, stack, HOMELESS, how));
    const [api, worker] = processes;
    await Promise.all([api.ready(), worker.ready()]);
    const task = await api.post<{ id: string }>('/tasks', { name: 'read-only', target_url: `${target.url}/ok` });
    const { id } = await api.post<{ id: string }>(`/tasks/${task.id}/runs`, {});
    const isDone = async () => (await api.get<{ status: string }>(`/runs/${id}`)).status === 'SUCCESS';
    await eventually(isDone, () => `the run is a SUCCESS; the worker logged:\n${worker.output}`, 60_000);
    for (const { output } of processes) expect(output).not.toMatch(/EACCES|EROFS|ERR_ACCESS_DENIED/);
  }, 300_000);

  it('could not have written if it had wanted to', () => {
    const [command, ...args] = [...(how.through ?? []), process.execPath, ...(how.flags ?? [])];
    const place = path.join(root, 'dist', 'written');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(place)}, '')`;
    expect(() => execFileSync(command, [...args, '-e', script], { stdio: 'pipe' })).toThrow(/EACCES|ERR_ACCESS_DENIED/);
    expect(fs.existsSync(place)).toBe(false);
  });
});
