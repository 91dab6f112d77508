import fs from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import type { World } from '../support/world.js';

const TIMEOUT_SECONDS = 3;
const ROUNDS = 4;
const GIGABYTE = 1 << 30;
const MEMORY_MB = 200;
/** A gigabyte of nothing in about a megabyte: gzip files may follow each other. */
const BOMB = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(GIGABYTE / 16))));

export const badTargets: Scenario = {
  row: 23,
  name: 'target hangs, drips, resets, sends 1 GB, a gzip bomb, 429 with Retry-After',
  holds: 'slot free by the deadline, memory flat',
  stacks: EVERYWHERE,
  core: ['embedded'],
  seconds: 30,
  run: async (world) => {
    await world.open();
    const bad = await BadTarget.start(world);
    const api = await world.api();
    // As many slots as bad calls of one round: if one is not given back, the next round waits for it.
    const worker = await world.worker({
      WORKER_CONCURRENCY: String(PATHS.length),
      TARGET_CONCURRENCY_PER_HOST: String(PATHS.length),
    });
    const memory = watchMemory(worker.child.pid!);
    const tasks = await Promise.all(PATHS.map((path) => createTask(api.url, bad.url + path)));
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(tasks.map((id) => api.post(`/tasks/${id}/runs`, {})));
      await allClosed(world);
    }
    const grown = memory.stop();
    world.findings.expect(grown < MEMORY_MB, `the worker grew by ${grown} MB`);
    world.findings.notes.push(`the worker grew by ${grown} MB at most on ${world.stack}`);
    const well = await world.trigger(api);
    const since = Date.now();
    await world.target.called(well);
    world.findings.expect(Date.now() - since < 5_000, `a good target was called after ${Date.now() - since} ms`);
    await checkDeadlines(world, bad);
  },
};

const PATHS = ['/hang', '/drip', '/reset', '/huge', '/bomb', '/busy'] as const;
type BadPath = (typeof PATHS)[number];

async function createTask(apiUrl: string, target_url: string): Promise<string> {
  const retry_policy_json = { strategy: 'fixed', max_attempts: 2, interval_seconds: 1, retry_on: [429] };
  const body = {
    name: target_url,
    target_url,
    timeout_seconds: TIMEOUT_SECONDS,
    max_concurrency: 0,
    retry_policy_json,
  };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${apiUrl}/api/v1/tasks`, { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await answer.json()) as { id: string }).id;
}

const allClosed = (world: World) =>
  world.until(
    async () => (await world.ledger.runs()).every((run) => run.finishedAt !== null),
    'all are closed',
    120_000,
  );

async function checkDeadlines({ ledger, findings }: World, bad: BadTarget): Promise<void> {
  const names = await ledger.query('SELECT id, name FROM tasks');
  const pathOf = new Map(names.map(({ id, name }) => [String(id), `/${String(name).split('/').pop()}`]));
  const expected: Record<string, string> = { '/hang': 'TIMEOUT', '/drip': 'TIMEOUT', '/reset': 'FAILED' };
  for (const run of await ledger.runs()) {
    const path = pathOf.get(run.taskId)!;
    const took = run.finishedAt! - run.startedAt!;
    findings.checked++;
    // A second attempt, after the pause that the target asked for, has a deadline of its own.
    const allowed = path === '/busy' ? 2 * TIMEOUT_SECONDS + RETRY_AFTER : TIMEOUT_SECONDS;
    findings.expect(took < allowed + 3, `${path}: ${run.id} held its slot for ${took.toFixed(1)} s`);
    const end = expected[path] ?? 'SUCCESS';
    // How much of a gigabyte gets through in time is the machine's business.
    const fits = run.status === end || (['/huge', '/bomb'].includes(path) && run.status === 'TIMEOUT');
    findings.expect(fits, `${path}: ${run.id} is ${run.status}, ${run.errorCode}`);
  }
  findings.expect(
    bad.shortestPause >= RETRY_AFTER * 1000 - 50,
    `Retry-After: tried again after ${bad.shortestPause} ms`,
  );
}

const RETRY_AFTER = 2;

/** Does to its callers what targets do on a bad day. */
class BadTarget {
  shortestPause = Infinity;
  private readonly refusedAt = new Map<string, number>();

  private constructor(private readonly server: Server) {}

  static async start(world: World): Promise<BadTarget> {
    const server = createServer();
    const bad = new BadTarget(server);
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => void sockets.add(socket));
    server.on('request', (request, response) =>
      bad.react(request.url as BadPath, String(request.headers['x-punctual-run-id']), response),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    world.kept(
      server,
      () =>
        new Promise((resolve) => {
          server.close(resolve);
          for (const socket of sockets) socket.destroy();
        }),
    );
    return bad;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private react(path: BadPath, runId: string, response: ServerResponse): void {
    response.on('error', () => undefined);
    switch (path) {
      case '/hang':
        return;
      case '/drip':
        return drip(response);
      case '/reset':
        return void (response.socket as Socket).resetAndDestroy();
      case '/huge':
        return pour(response);
      case '/bomb':
        return void response
          .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
          .end(BOMB);
      case '/busy':
        return this.refuseOnce(runId, response);
    }
  }

  private refuseOnce(runId: string, response: ServerResponse): void {
    const refusedAt = this.refusedAt.get(runId);
    this.refusedAt.set(runId, Date.now());
    if (refusedAt === undefined) return void response.writeHead(429, { 'retry-after': String(RETRY_AFTER) }).end();
    this.shortestPause = Math.min(this.shortestPause, Date.now() - refusedAt);
    response.end('ok');
  }
}

/** One byte a second, for as long as somebody listens. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '100000' });
  const timer = setInterval(() => response.write('.'), 1_000);
  response.once('close', () => clearInterval(timer));
}

/** A gigabyte, as fast as it is read. */
function pour(response: ServerResponse): void {
  const piece = Buffer.alloc(1 << 20, 'x');
  response.writeHead(200, { 'content-length': String(GIGABYTE) });
  let left = GIGABYTE;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length;
      if (!response.write(piece)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

/** `stop` gives by how many megabytes it grew at most. */
function watchMemory(pid: number): { stop(): number } {
  const megabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  const before = megabytes();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, megabytes())), 100);
  const stop = () => {
    clearInterval(timer);
    return Math.round(most - before);
  };
  return { stop };
}
