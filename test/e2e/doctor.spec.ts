import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Platform } from '#pipeline';
import { insertTask, makeTempDir, openStack, removeDir, type Stack } from '#testing';
import { readyPlatform } from '../support/product.js';

const root = path.resolve(import.meta.dirname, '../..');

interface Answer {
  code: number | null;
  output: string;
}

/** `npm run doctor`, to its end. Empty settings stand against a .env in the checkout. */
function doctor(args: string[], env: Record<string, string> = {}): Promise<Answer> {
  const child = spawn(process.execPath, ['scripts/doctor.mjs', ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: '', REDIS_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, output }));
  });
}

describe('npm run doctor', () => {
  const folder = makeTempDir('doctor');
  let stack: Stack;
  let platform: Platform;
  let env: Record<string, string>;
  /** On PostgreSQL the queue is in the database, so that Redis is not looked at unless a test asks for it. */
  let queue: RegExp;

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
    const isPostgres = platform.database.dialect === 'postgresql';
    env = { DATABASE_URL: stack.databaseUrl, ...(!isPostgres && { REDIS_URL: stack.redisUrl! }) };
    queue = isPostgres ? /^✓ queue: lives in the database/m : /^✓ Redis: /m;
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
    removeDir(folder);
  });

  it('explains itself', async () => {
    const { code, output } = await doctor(['--help']);
    expect(code).toBe(0);
    expect(output).toContain('npm run doctor [-- --dry-run]');
    expect(output).toContain('Exit codes');
  });

  it('does not check what it cannot, and says what to do', async () => {
    const unknown = await doctor(['--fix'], env);
    expect([unknown.code, unknown.output]).toEqual([2, expect.stringContaining('unknown argument --fix')]);
    const nowhere = await doctor([], { DATA_DIR: folder });
    expect([nowhere.code, nowhere.output]).toEqual([
      2,
      expect.stringContaining('no embedded PostgreSQL runs on the data'),
    ]);
    const away = await doctor([], { DATABASE_URL: 'postgresql://u:secret@127.0.0.1:9/x' });
    expect([away.code, away.output]).toEqual([2, expect.stringContaining('could not check')]);
    expect(away.output).not.toContain('secret');
    const wrong = await doctor([], { ...env, DATABASE_TIMEOUT_MS: 'long' });
    expect([wrong.code, wrong.output]).toEqual([2, expect.stringContaining('DATABASE_TIMEOUT_MS is "long"')]);
  });

  it('looks at settings, servers, clock, queue, migrations and indexes', async () => {
    const well = await doctor([], env);
    expect(well.code).toBe(0);
    for (const line of [
      /^! configuration: SECRET_KEYS is empty/m,
      /^ {2}→ set SECRET_KEYS/m,
      /^✓ versions: Node\.js \d+/m,
      /^✓ versions: (PostgreSQL|MariaDB|MySQL) \d+/m,
      /^✓ clock: this host is /m,
      queue,
      /^✓ migrations: all \d+ are applied$/m,
      /^✓ indexes: all \d+ are there$/m,
    ])
      expect(well.output).toMatch(line);
    expect(well.output).not.toContain('✗');
  });

  it('says which index is missing and how to make it, and that Redis does not answer', async () => {
    const index = 'task_runs_tenant_id_attention_id_idx';
    const { client, dialect } = platform.database;
    await client.$executeRawUnsafe(
      dialect === 'postgresql' ? `DROP INDEX "${index}"` : `DROP INDEX \`${index}\` ON task_runs`,
    );
    const sick = await doctor([], { ...env, REDIS_URL: 'redis://:hunter2@127.0.0.1:9' });
    expect(sick.code).toBe(1);
    expect(sick.output).toContain(`✗ indexes: ${index} is missing`);
    const [, statement] = /→ ((?:CREATE INDEX|ALTER TABLE) .*task_runs_tenant_id_attention_id_idx.*;)/.exec(
      sick.output,
    )!;
    expect(sick.output).toMatch(/^✗ Redis: cannot be asked: .*ECONNREFUSED/m);
    expect(sick.output).not.toContain('hunter2');
    await client.$executeRawUnsafe(statement);
    expect((await doctor([], env)).code).toBe(0);
  });

  it('says so when nothing has ever been started on the database', async () => {
    const empty = await openStack();
    try {
      const { code, output } = await doctor([], { DATABASE_URL: empty.databaseUrl });
      expect([code, output]).toEqual([1, expect.stringContaining('✗ migrations: not applied yet: ')]);
      expect(output).toContain('→ start an API or a worker of this version');
    } finally {
      await empty.close();
    }
  });

  it('says what is wrong, repairs it when it may, and is content then', async () => {
    const { id } = await insertTask(platform.database);
    const clean = await doctor([], env);
    expect([clean.code, clean.output]).toEqual([0, expect.stringContaining('✓ counters: nothing is wrong')]);
    expect(clean.output).toContain('checked 1 tasks and 0 unfinished runs');

    await platform.database.client.taskState.update({ where: { taskId: id }, data: { activeRuns: 3 } });
    const dry = await doctor(['--dry-run'], env);
    expect([dry.code, dry.output]).toEqual([1, expect.stringContaining('✗ 1 problem in 1 task')]);
    expect(dry.output).toContain(`task ${id} counts 3 active and 0 queued, its runs are 0 active and 0 queued`);

    const repaired = await doctor([], env);
    expect([repaired.code, repaired.output]).toEqual([0, expect.stringContaining('✓ 1 problem in 1 task, repaired')]);
    expect((await doctor(['--dry-run'], env)).code).toBe(0);
  }, 300_000);
});
