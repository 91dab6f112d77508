import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStack, type Stack, TargetStub } from '#testing';
import { transformSync } from '@swc/core';
import { type RunningApi, startApi } from '../support/api.js';
import { AsyncRuns } from '../support/async-runs.js';
import { type RunningWorker, startWorker } from '../support/product.js';

const EXAMPLES = path.resolve('examples/async');
const [hasPython, hasCurl] = [works('python3'), works('curl')];

describe('the examples of docs/async.md', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'punctual-example-'));
  const children: ChildProcess[] = [];
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let runs: AsyncRuns;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    worker = await startWorker(stack);
    runs = new AsyncRuns(api, target);
  });

  afterAll(async () => {
    for (const child of children) child.kill();
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
    rmSync(folder, { recursive: true });
  });

  const listen = async (command: string, ...args: string[]): Promise<string> => {
    const child = spawn(command, [...args, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const line = await new Promise<string>((resolve, reject) => {
      child.once('error', reject).once('exit', () => reject(new Error(`${command} ended`)));
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('\n')) resolve(said.split('\n')[0]);
      });
    });
    const { port } = JSON.parse(line.replace('listening on', '')) as { port: number };
    return `http://127.0.0.1:${port}/work`;
  };

  const succeeds = async (target_url: string) => {
    const fields = { target_url, body_template: '{"rows":{{payload.rows}}}', heartbeat_timeout_sec: 30 };
    const taskId = await runs.create(fields);
    const { data } = await api.http.post<{ id: string }>(`/tasks/${taskId}/runs`, { payload: { rows: 4 } });
    const run = await runs.becomes(data.id, 'SUCCESS');
    expect(run).toMatchObject({ result: { rows: 4 }, progress: { done: 4, of: 4 }, attempt: 1 });
  };

  it('work in TypeScript', async () => {
    const file = path.join(folder, 'service.mjs');
    const source = readFileSync(path.join(EXAMPLES, 'service.ts'), 'utf8');
    writeFileSync(file, transformSync(source, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }).code);
    await succeeds(await listen(process.execPath, file));
  });

  if (!hasPython) console.log('the Python example is not tried: python3 is missing');
  (hasPython ? it : it.skip)('work in Python', async () => {
    await succeeds(await listen('python3', path.join(EXAMPLES, 'service.py')));
  });

  (hasCurl ? it : it.skip)('make their task and its run with curl, as docs/async.md writes it', async () => {
    target.on('/work', { status: 202 });
    const script = scriptOf('the task')
      .replaceAll('http://127.0.0.1:3000', api.url)
      .replace('http://127.0.0.1:8081', target.url);
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { timeout: 30_000 });
    expect(stdout).toContain('"name":"nightly_export"');
    const [call] = await target.waitFor((calls) => calls.some(({ path }) => path === '/work'));
    expect(JSON.parse(call.body)).toEqual({ rows: 4 });
    expect(await runs.becomes(call.runId!, 'WAITING_CALLBACK')).toMatchObject({ attempt: 1 });
  });

  if (!hasCurl) console.log('the curl example is not tried: curl is missing');
  (hasCurl ? it : it.skip)('work with curl, as docs/async.md writes it', async () => {
    target.on('/curl', { status: 202 });
    const started = await runs.waiting({ target_url: `${target.url}/curl` });
    const script = scriptOf('the callback');
    const env = { ...process.env, CALLBACK_URL: started.url, CALLBACK_TOKEN: started.token };
    // Not in step with us: the API it calls is this very process.
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env, timeout: 30_000 });
    expect(stdout).toContain('"status":"SUCCESS"');
    expect(await runs.read(started.runId)).toMatchObject({ status: 'SUCCESS', result: { rows: 1204 } });
  });
});

/** The block of docs/async.md that begins with this comment. */
function scriptOf(title: string): string {
  const [, script] =
    new RegExp(`\`\`\`sh\\n# ${title}\\n(.*?)\`\`\``, 's').exec(readFileSync('docs/async.md', 'utf8')) ?? [];
  expect(script).toContain('curl');
  return script;
}

function works(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
