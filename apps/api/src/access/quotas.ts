import { Inject, Injectable } from '@nestjs/common';
import { countTasks, countUnfinished, type Session } from '#database';
import { TooMany } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { SharedLimit } from './shared-limit.js';

const MINUTE_MS = 60_000;
/** How long a count of unfinished runs is taken for true. */
const COUNT_LIFE_MS = 1_000;
/** When it may be worth asking again: for tasks somebody has to delete one first, runs end by themselves. */
const TASKS_RETRY_SECONDS = 60;
const UNFINISHED_RETRY_SECONDS = 5;

interface Counted {
  count: number;
  until: number;
}

/** What a tenant may have, by the deployment's settings. Only what is asked for is refused; what a schedule fires is not. */
@Injectable()
export class Quotas {
  private readonly perMinute: SharedLimit | null;
  private readonly unfinished = new Map<string, Counted>();

  constructor(@Inject(PLATFORM) private readonly platform: Platform) {
    const { config, queue, clock } = platform;
    const most = config.quotaRunsPerMinute;
    this.perMinute =
      most === 0 ? null : new SharedLimit(queue.counters, clock, { name: 'runs', most, windowMs: MINUTE_MS });
  }

  /** Inside the transaction that creates one more. Those that come at the same moment do not see one another. */
  async forTask(session: Session, tenantId: string): Promise<void> {
    const most = this.platform.config.quotaTasks;
    if (most === 0 || (await countTasks(this.platform.database, session, tenantId, most)) < most) return;
    const reason = `this tenant may have ${most} tasks (QUOTA_TASKS), and has them: delete one first`;
    throw new TooMany(reason, TASKS_RETRY_SECONDS, 'quota-exceeded');
  }

  /** Before so many runs are made: all of them, or none. */
  async forRuns(tenantId: string, count: number): Promise<void> {
    if (count === 0) return;
    await this.forUnfinished(tenantId, count);
    const standing = await this.perMinute?.take(tenantId, count);
    if (standing === undefined || standing.allowed) return;
    const reason = `this tenant may ask for ${standing.limit} runs a minute (QUOTA_RUNS_PER_MINUTE)`;
    const hint =
      count > standing.limit ? `, and these are ${count}: ask for fewer at once` : ': try again in the next one';
    throw new TooMany(reason + hint, standing.resetSeconds, 'quota-exceeded');
  }

  private async forUnfinished(tenantId: string, count: number): Promise<void> {
    const most = this.platform.config.quotaUnfinishedRuns;
    if (most === 0) return;
    const counted = await this.countedUnfinished(tenantId, most);
    if (counted.count + count <= most) return void (counted.count += count);
    const reason = `this tenant may have ${most} unfinished runs (QUOTA_UNFINISHED_RUNS), and has ${counted.count}`;
    throw new TooMany(`${reason}: try again when some have ended`, UNFINISHED_RETRY_SECONDS, 'quota-exceeded');
  }

  private async countedUnfinished(tenantId: string, most: number): Promise<Counted> {
    const known = this.unfinished.get(tenantId);
    if (known !== undefined && known.until > performance.now()) return known;
    const until = performance.now() + COUNT_LIFE_MS;
    const counted = { count: await countUnfinished(this.platform.database, tenantId, most), until };
    this.unfinished.set(tenantId, counted);
    return counted;
  }
}
