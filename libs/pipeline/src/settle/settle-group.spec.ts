import { afterEach, describe, expect, it } from '@jest/globals';
import type { Database, Settlement } from '#database';
import pino from 'pino';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import { SettleGroup } from './settle-group.js';
import { MOST } from './settle-lane.js';

const clock = { now: () => 0 };
/** Ids of tasks that are not in the same lane. */
const [ONE, OTHER] = [1n, 2n];

/** A statement on its way, by the tasks of the runs that it closes. */
interface Group {
  tasks: string[];
  size: number;
  arrive(): void;
  refuse(code: string): void;
}

/** PostgreSQL, as far as a settle of everyday ends needs it: it answers when it is told to. */
class SlowDatabase {
  readonly groups: Group[] = [];
  readonly dialect = 'postgresql';
  readonly driver = {
    rows: (_statement: unknown, _ids: string, tasks: string) =>
      new Promise((resolve, reject) => {
        const named = tasks.split('\u001f');
        this.groups.push({
          tasks: [...new Set(named)].sort(),
          size: named.length,
          arrive: () => resolve([{ waiting: false, ids: null }]),
          refuse: (code) => reject(Object.assign(new Error('refused'), { code })),
        });
      }),
  };

  get last(): Group {
    return this.groups.at(-1)!;
  }
}

describe('SettleGroup with two lanes', () => {
  const pending: Promise<boolean>[] = [];
  let database: SlowDatabase;
  let made = 0;

  function open(): SettleGroup {
    database = new SlowDatabase();
    const enqueue = { add: () => Promise.resolve() } as unknown as EnqueueRuns;
    const notices = { add: () => Promise.resolve() };
    const log = pino({ level: 'silent' });
    const metrics = new PipelineMetrics(clock);
    return new SettleGroup(database as unknown as Database, clock, enqueue, notices, log, metrics, { lanes: 2 });
  }

  const add = (group: SettleGroup, taskId: bigint, { callsWait = true, isLast = false } = {}) => {
    const done = group.add(success(taskId, `run-${made++}`), isLast, callsWait);
    pending.push(done);
    return done;
  };
  /** Long enough for everything that waits for nobody. */
  const settle = () => new Promise((next) => setImmediate(next));

  afterEach(async () => {
    for (let at = 0; at < database.groups.length; at++, await settle()) database.groups[at].arrive();
    await Promise.all(pending.splice(0));
  });

  it('closes a backlog in two groups beside each other, each with tasks of its own', async () => {
    const group = open();
    for (let i = 0; i < MOST; i++) for (const task of [ONE, OTHER]) void add(group, task);
    await settle();
    expect(database.groups.map(({ tasks, size }) => [tasks, size])).toEqual([
      [['1'], MOST],
      [['2'], MOST],
    ]);
  });

  it('closes all that has gathered as soon as no run waits for its call any more', async () => {
    const group = open();
    for (const task of [ONE, ONE, OTHER]) void add(group, task);
    await settle();
    expect(database.groups).toEqual([]);
    void add(group, OTHER, { callsWait: false, isLast: true });
    await settle();
    expect(database.groups.reduce((sum, { size }) => sum + size, 0)).toBe(4);
  });

  it('keeps everything in one group where no run waits for its call', async () => {
    const group = open();
    void add(group, ONE, { callsWait: false });
    void add(group, OTHER, { callsWait: false, isLast: true });
    await settle();
    expect(database.groups.map(({ tasks }) => tasks)).toEqual([['1', '2']]);
  });

  it('has a task whose rows are held step aside from both lanes', async () => {
    const group = open();
    const held = add(group, ONE, { callsWait: false });
    void add(group, OTHER, { callsWait: false, isLast: true });
    await settle();
    database.last.refuse('55P03');
    await settle();
    // Each is tried alone, to find out whose rows are held.
    expect(database.last.tasks).toEqual(['1']);
    database.last.refuse('55P03');
    await settle();
    const asideAt = database.groups.findIndex(({ tasks, size }, i) => i > 1 && tasks.join() === '1' && size === 1);
    database.groups.find(({ tasks }) => tasks.join() === '2')!.arrive();
    await settle();

    // In neither lane anybody tries them again: one attempt waits for them.
    const before = database.groups.length;
    void add(group, ONE, { callsWait: false, isLast: true });
    for (let i = 0; i < MOST; i++) void add(group, ONE);
    await settle();
    expect(database.groups).toHaveLength(before);
    database.groups[asideAt].arrive();
    await expect(held).resolves.toBe(true);
  });
});

function success(taskId: bigint, runId: string): Settlement {
  return {
    ...{ runId, taskId, tenantId: 'default', execId: `e-${runId}`, attempt: 1, tickAttempt: 1, node: 'n', priority: 0 },
    ...{ status: 'SUCCESS', outcome: 'SUCCESS', startedAt: 0, finishedAt: 1, dueAgainAt: null, httpStatus: 200 },
    ...{ errorCode: null, errorInfo: null, result: null, request: null, response: null, notify: null },
  };
}
