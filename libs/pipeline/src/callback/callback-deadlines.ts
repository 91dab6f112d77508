import { type Clock, type Database, overdueCallbacks, type WaitingRun } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { Rescue } from '../rescue/rescue.js';

const EVERY_MS = 500;
/** Most runs one process keeps in mind, and most it looks at in one go. */
const MOST = 100_000;
const MOST_AT_ONCE = 500;

/**
 * Looks at runs that wait for a callback the moment their deadline has passed. In memory, so that neither an accepted call nor a
 * heartbeat costs a message to the queue; what a process forgets by dying, rescue finds a little later by the alarms.
 */
export class CallbackDeadlines extends Loop {
  /** Runs by the second in which they are to be looked at. */
  private readonly due = new Map<number, string[]>();
  private count = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rescue: Pick<Rescue, 'expire'>,
    log: Logger,
  ) {
    super({ name: 'watching callback deadlines', delay: () => EVERY_MS, work: () => this.look() }, log);
  }

  watch(runs: readonly WaitingRun[]): void {
    for (const { id, wakeAt } of runs) {
      if (this.count >= MOST) return;
      const second = Math.ceil(wakeAt / 1000);
      const others = this.due.get(second);
      if (others) others.push(id);
      else this.due.set(second, [id]);
      this.count += 1;
    }
  }

  private async look(): Promise<void> {
    const ids = this.takeDue();
    for (let from = 0; from < ids.length; from += MOST_AT_ONCE) await this.lookAt(ids.slice(from, from + MOST_AT_ONCE));
  }

  private takeDue(): string[] {
    const now = this.clock.now() / 1000;
    const ids: string[] = [];
    for (const [second, some] of this.due) {
      if (second > now) continue;
      ids.push(...some);
      this.due.delete(second);
    }
    this.count -= ids.length;
    return ids;
  }

  /** Those that have given a sign of life meanwhile are looked at again when that has worn off. */
  private async lookAt(ids: readonly string[]): Promise<void> {
    const waiting = await overdueCallbacks(this.database, ids);
    const now = this.clock.now();
    const overdue = waiting.filter((run) => run.seenWakeAt <= now);
    this.watch(waiting.filter((run) => run.seenWakeAt > now).map(({ id, seenWakeAt: wakeAt }) => ({ id, wakeAt })));
    if (overdue.length > 0) await this.rescue.expire(overdue, now);
  }
}
