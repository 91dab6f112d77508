import {
  advanceTasks,
  type BackfillProgress,
  type Clock,
  type Database,
  type HeldBackfill,
  insertRuns,
  inSqlTransaction,
  lockTask,
  type NewRun,
  runStates,
  saveBackfill,
  type Sql,
  takeBackfill,
  type TaskFacts,
  unfinishedBackfills,
} from '#database';
import { countOpenRuns, stepBackfill } from '#domain';
import type { Logger } from 'pino';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { Watch } from '../trace/watch.js';
import { idsOf, nextSeconds, recordOf, runsOf } from './backfill-runs.js';

const PAGE = 100;

/**
 * Brings every backfill a step on: counts which of its runs have ended, and admits as many as there is room for. One
 * transaction each, in which cursor, rows and counters move together: whoever dies in between leaves nothing half done.
 */
export class Backfill {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
    private readonly log: Logger,
    private readonly watch: Watch = {},
  ) {}

  /** Gives the number of runs that were admitted. */
  async runOnce(): Promise<number> {
    let admitted = 0;
    let ids = await unfinishedBackfills(this.database, 0n, PAGE);
    while (ids.length > 0) {
      for (const id of ids) admitted += await this.step(id);
      ids = ids.length < PAGE ? [] : await unfinishedBackfills(this.database, ids[ids.length - 1], PAGE);
    }
    return admitted;
  }

  private async step(id: bigint): Promise<number> {
    try {
      const start = this.clock.now();
      const runs = await inSqlTransaction(this.database, (sql) => this.commitStep(sql, id));
      const end = this.clock.now();
      this.watch.metrics?.admitted(runs);
      await this.enqueue.add(runs.filter((run) => run.status === 'SCHEDULED'));
      this.watch.tracing?.ticked('backfill', runs, { start, end }, end);
      return runs.length;
    } catch (error) {
      // The others need not wait for it; the next second tries again.
      this.log.warn({ err: error, backfill_id: String(id) }, 'a backfill did not come on');
      return 0;
    }
  }

  private async commitStep(sql: Sql, id: bigint): Promise<NewRun[]> {
    const backfill = await takeBackfill(sql, id);
    if (backfill === null) return [];
    const task = await lockTask(sql, backfill.tenantId, backfill.taskId);
    const now = this.clock.now();
    const counted = await countEnded(sql, backfill.progress);
    const goesOn = task !== null && counted.status === 'RUNNING';
    const { runs, progress } = goesOn
      ? await admitNext(sql, task, { ...backfill, progress: counted }, now)
      : { runs: [], progress: { ...counted, status: 'CANCELED' as const } };
    await saveBackfill(sql, backfill, progress, now);
    return runs;
  }
}

async function countEnded(sql: Sql, progress: BackfillProgress): Promise<BackfillProgress> {
  const states = await runStates(sql, progress.openRuns);
  return { ...progress, ...countOpenRuns(progress, new Map([...states].map(([id, { status }]) => [id, status]))) };
}

async function admitNext(sql: Sql, task: TaskFacts, backfill: HeldBackfill, now: number) {
  const { progress, maxParallel } = backfill;
  const seconds = nextSeconds(backfill, task.nextFireAt);
  const states = await runStates(sql, idsOf(seconds, task.id));
  const records = seconds.map((at) => recordOf(at, task.id, states));
  const room = maxParallel - progress.openRuns.length;
  const step = stepBackfill(records, task, { room, cursor: progress.cursor });
  const runs = runsOf(step, task, backfill, now);
  await insertRuns(sql, runs);
  if (runs.length > 0) await count(sql, task, runs);
  return {
    runs,
    progress: {
      ...progress,
      cursor: step.cursor,
      created: progress.created + runs.length,
      existing: progress.existing + step.existing,
      openRuns: [...progress.openRuns, ...runs.map((run) => run.id)],
    },
  };
}

/** The task's newest run stays what it is: these are of seconds long past. */
function count(sql: Sql, { id, nextFireAt }: TaskFacts, runs: readonly NewRun[]): Promise<void> {
  const queued = runs.filter((run) => run.status === 'QUEUED').length;
  return advanceTasks(sql, [{ id, nextFireAt, active: runs.length - queued, queued, lastRunId: null }]);
}
