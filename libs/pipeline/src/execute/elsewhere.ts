import { type Clock, type Database, offerRuns, Sql } from '#database';
import type { Logger } from 'pino';
import type { HandOn } from './hand-on.js';

const WAIT_MS = { first: 50, most: 5_000 };
/** Of so many runs it is remembered how often they came by. */
const MOST = 10_000;
const SAY_EVERY_MS = 60_000;

/**
 * Runs that this worker may not execute go back to the queue, for one that may. Each time they come by again they stay away
 * for longer: perhaps there is none.
 */
export class Elsewhere {
  private readonly times = new Map<string, number>();
  private saidAt = -Infinity;

  constructor(
    private readonly handOn: Pick<HandOn, 'give'>,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  async give(ids: readonly string[], priority: number): Promise<void> {
    if (ids.length === 0) return;
    const afterMs = Math.min(WAIT_MS.first * 2 ** this.count(ids), WAIT_MS.most);
    if (afterMs === WAIT_MS.most) this.say(ids);
    const since = performance.now();
    const runs = ids.map((id) => ({ id, priority, since, job: null }));
    await this.handOn.give({ runs, afterMs, reason: 'executor' });
  }

  /** Runs of agents that were told to the queue all the same, before their task was changed. */
  async offer(ids: readonly string[]): Promise<void> {
    const dueAt = this.clock.now();
    await offerRuns(
      Sql.on(this.database),
      ids.map((id) => ({ id, dueAt, executor: 'AGENT' as const })),
    );
  }

  /** How often the one that came most often has been here before. */
  private count(ids: readonly string[]): number {
    if (this.times.size + ids.length > MOST) this.times.clear();
    const before = ids.map((id) => this.times.get(id) ?? 0);
    ids.forEach((id, place) => this.times.set(id, before[place] + 1));
    return Math.max(...before);
  }

  private say(ids: readonly string[]): void {
    if (performance.now() - this.saidAt < SAY_EVERY_MS) return;
    this.saidAt = performance.now();
    const advice = 'runs of SHELL tasks find no worker that may run commands: start one with SHELL_EXECUTOR=enabled';
    this.log.warn({ runs: ids.length, run_id: ids[0] }, advice);
  }
}
