import type { Prisma } from '#database';
import { onDemandRunId } from '#domain';
import { type Platform, Retention, type RetentionPolicy } from '#pipeline';

const DAY = 86_400_000;
const FOREVER = { SUCCESS: null, MANUALLY_PROCESSED: null, FAILED: null, TIMEOUT: null, CANCELED: null, SKIPPED: null };

export interface Kept extends Partial<Omit<RetentionPolicy, 'deleteAfterMs'>> {
  deleteAfterMs?: Partial<RetentionPolicy['deleteAfterMs']>;
}

/** A policy that keeps everything but what is said, in days. */
export function keeping({ deleteAfterMs, ...others }: Kept = {}): RetentionPolicy {
  const everything = { archiveAfterMs: null, backfillsAfterMs: null, logsPerTask: 0 };
  return { ...everything, ...others, deleteAfterMs: { ...FOREVER, ...deleteAfterMs } };
}

export const days = (count: number): number => count * DAY;

interface RetentionSetup {
  holder?: string;
  batchSize?: number;
  mostRows?: number;
  restMs?: number;
}

/** A retention that is called by hand, in batches so small that there are several. */
export function retentionOn(
  { database, clock, log, metrics }: Platform,
  kept: Kept,
  { holder = 'test', batchSize = 3, mostRows = 1_000, restMs = 0 }: RetentionSetup = {},
): Retention {
  const options = { policy: keeping(kept), holder, batchSize, mostRows, restMs, rest: 0 };
  return new Retention(database, clock, options, log, metrics);
}

let count = 0;
const END_STATUSES = ['SUCCESS', 'MANUALLY_PROCESSED', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED'];

/** Runs of long ago, as the product would have left them. */
export class OldRuns {
  constructor(private readonly platform: Platform) {}

  /** Writes a run that ended so many days ago, a second after it was scheduled; gives its id. */
  async write(
    task: { id: bigint | string; name: string },
    daysAgo: number,
    fields: Partial<Prisma.TaskRunUncheckedCreateInput> = {},
  ): Promise<string> {
    const at = Math.floor((this.platform.clock.now() - days(daysAgo)) / 1000) * 1000 - 2_000;
    const { status = 'SUCCESS' } = fields;
    const ended = END_STATUSES.includes(status) ? new Date(at + 1_000) : null;
    const id = fields.id ?? onDemandRunId(at / 1000, BigInt(task.id), `x${++count}`);
    const skipped = status === 'SKIPPED' ? { skipReason: 'OVERLAP' } : { startedAt: new Date(at + 100), attempt: 1 };
    await this.client.taskRun.create({
      data: {
        ...{ id, taskId: BigInt(task.id), taskName: task.name, trigger: 'API', status, scheduledTime: new Date(at) },
        ...{ finishedAt: ended, execId: `e${count}`, traceId: '0'.repeat(32), payload: { n: count }, ...skipped },
        ...fields,
      },
    });
    return id;
  }

  async attempt(runId: string, attempt = 1): Promise<void> {
    const now = new Date();
    await this.client.runAttempt.create({
      data: { runId, attempt, execId: `e-${attempt}`, outcome: 'FAILED', startedAt: now, finishedAt: now },
    });
  }

  /** One row in every table that has something of a run. */
  async belongings(runId: string, taskId: bigint | string): Promise<void> {
    const [now, about] = [new Date(), { runId, attempt: 1 }];
    await this.attempt(runId);
    const token = { execId: 'e-1', tokenHash: 'f'.repeat(64), startedAt: now };
    await this.client.runCallback.create({ data: { ...about, ...token } });
    const late = { outcomeHash: 'f'.repeat(64), outcome: 'SUCCESS', receivedAt: now };
    await this.client.lateCallback.create({ data: { ...about, ...late } });
    await this.client.runHandling.create({ data: { ...about, action: 'RESOLVE', at: now } });
    await this.client.agentRun.create({ data: { runId, taskName: 'x', place: 9, availableAt: now } });
    await this.delivery(runId, taskId, 'DELIVERED');
  }

  async delivery(runId: string, taskId: bigint | string, status: 'PENDING' | 'DELIVERED' | 'FAILED'): Promise<string> {
    const now = new Date();
    const id = `d-${process.pid}-${++count}`;
    const times = {
      nextAttemptAt: status === 'PENDING' ? now : null,
      deliveredAt: status === 'DELIVERED' ? now : null,
    };
    const about = { id, runId, taskId: BigInt(taskId), kind: 'success', url: 'http://127.0.0.1:9/', status };
    await this.client.outbox.create({ data: { ...about, ...times, endedAt: now, createdAt: now } });
    return id;
  }

  /** How many rows there are of these runs beside their own. */
  async countBelongings(runIds: readonly string[]): Promise<number> {
    const where = { runId: { in: [...runIds] } };
    const { runAttempt, runCallback, lateCallback, runHandling, agentRun, outbox } = this.client;
    const counts = [runAttempt.count({ where }), runCallback.count({ where }), lateCallback.count({ where })];
    const others = [runHandling.count({ where }), agentRun.count({ where }), outbox.count({ where })];
    return (await Promise.all([...counts, ...others])).reduce((sum, one) => sum + one, 0);
  }

  /** Which of the runs are where. */
  async places(runIds: readonly string[]): Promise<{ live: string[]; archived: string[] }> {
    const where = { id: { in: [...runIds] } };
    const asked = { where, select: { id: true as const }, orderBy: { id: 'asc' as const } };
    const [live, archived] = [await this.client.taskRun.findMany(asked), await this.client.runArchive.findMany(asked)];
    return { live: live.map(({ id }) => id), archived: archived.map(({ id }) => id) };
  }

  private get client() {
    return this.platform.database.client;
  }
}
