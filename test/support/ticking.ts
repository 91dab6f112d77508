import type { Clock, TaskRun } from '#database';
import type { RunToDispatch } from '#domain';
import type { EnqueueRuns, Platform, Tick } from '#pipeline';
import { tickOn } from './product.js';

type Moment = string | number;

/** Ticks under a clock that the test sets, and what they told the queue. */
export class Ticking {
  readonly told: RunToDispatch[] = [];
  private time = 0;
  readonly clock: Clock = { now: () => this.time };
  private readonly enqueue = {
    add: (runs: RunToDispatch[]) => Promise.resolve(this.told.push(...runs)),
  } as unknown as EnqueueRuns;

  constructor(private readonly platform: Platform) {}

  set(moment: Moment): void {
    this.time = msOf(moment);
  }

  tick(options: object = {}): Tick {
    const platform = { ...this.platform, clock: this.clock } as Platform;
    return tickOn(platform, this.enqueue, { graceSeconds: 3, ...options });
  }

  tickAt(moment: Moment, options: object = {}): ReturnType<Tick['runOnce']> {
    this.set(moment);
    return this.tick(options).runOnce();
  }

  /** Oldest first. */
  runsOf(taskId: bigint): Promise<TaskRun[]> {
    return this.platform.database.client.taskRun.findMany({ where: { taskId }, orderBy: { id: 'asc' } });
  }

  /** Each run in one line: when, what, and what it stands for. */
  async shown(taskId: bigint): Promise<string[]> {
    return (await this.runsOf(taskId)).map(show);
  }

  async nextFire(taskId: bigint): Promise<string | null> {
    const { nextFireAt } = await this.platform.database.client.taskState.findUniqueOrThrow({ where: { taskId } });
    return nextFireAt && iso(nextFireAt.getTime());
  }

  /** Goes from one planned second to the next, as the loop does, and gives those that became runs. */
  async firesUntil(taskId: bigint, end: Moment): Promise<string[]> {
    for (;;) {
      const next = await this.nextFire(taskId);
      if (next === null || msOf(next) > msOf(end)) break;
      await this.tickAt(msOf(next) + 5);
    }
    const runs = await this.runsOf(taskId);
    return runs.map((run) => iso(run.scheduledTime.getTime()));
  }

  /** Leaves nothing due for the next test. */
  async forget(): Promise<void> {
    this.told.length = 0;
    await this.platform.database.client.taskState.updateMany({ data: { nextFireAt: null } });
  }
}

const msOf = (moment: Moment): number => (typeof moment === 'number' ? moment : Date.parse(moment));
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

function show({ scheduledTime, trigger, status, skipReason, missedFrom, missedCount }: TaskRun): string {
  const gap = missedFrom === null ? '' : ` ${missedCount} from ${iso(missedFrom.getTime())}`;
  return `${iso(scheduledTime.getTime())} ${trigger} ${skipReason ?? status}${gap}`;
}
