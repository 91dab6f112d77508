import { randomBytes } from 'node:crypto';
import { type Clock, type Database, wakeSooner } from '#database';
import { dispatchesOf, type RunToDispatch } from '#domain';
import { type DispatchQueue, QueueAway, type Signals } from '#queue';
import type { Logger } from 'pino';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { Tracing } from '../trace/tracing.js';

/** Below this many runs of one second each travels alone. */
const SHARE = 16;
/** How soon rescue is asked to try again what the queue did not take. */
const AGAIN_MS = 2_000;

export interface EnqueueOptions {
  dispatchSize: number;
}

/** Where dispatches go, by who carries them out. */
export interface DispatchQueues {
  runs: Pick<DispatchQueue, 'add'>;
  commands: Pick<DispatchQueue, 'add'>;
}

/** Tells the workers, through the queue, of runs that are committed. What cannot be told now, rescue tells later. */
export class EnqueueRuns {
  /** Keeps the ids of two processes apart. */
  private readonly shard = randomBytes(4).toString('hex');
  private count = 0;
  private untoldSince: number | null = null;

  constructor(
    private readonly queues: DispatchQueues,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly options: EnqueueOptions,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
    private readonly signals: Pick<Signals, 'send'>,
    private readonly tracing: Tracing | null = null,
  ) {}

  /** Few runs travel one each, so that the fleet shares them; unless they are to stay together. */
  async add(all: readonly RunToDispatch[], sharing: 'shared' | 'together' = 'shared'): Promise<void> {
    const runs = all.some(isForAgents) ? this.withoutAgents(all) : all;
    const commands = runs.filter(isCommand);
    if (commands.length === 0) return this.dispatch(this.queues.runs, runs, sharing);
    const others = runs.filter((run) => !isCommand(run));
    await Promise.all([
      this.dispatch(this.queues.commands, commands, sharing),
      this.dispatch(this.queues.runs, others, sharing),
    ]);
  }

  /**
   * Since when the queue has not taken runs that are due later, if it has not; asking forgets it. Whoever asks tells it of what has
   * become due, or will, since then.
   */
  takeUntold(): number | null {
    const since = this.untoldSince;
    this.untoldSince = null;
    return since;
  }

  private async dispatch(
    queue: Pick<DispatchQueue, 'add'>,
    runs: readonly RunToDispatch[],
    sharing: 'shared' | 'together',
  ): Promise<void> {
    if (runs.length === 0) return;
    const share = sharing === 'shared' ? SHARE : 1;
    const now = this.clock.now();
    const dispatches = dispatchesOf(runs, { size: this.options.dispatchSize, share }, now, this.nextId);
    let failure: string | null = null;
    try {
      await queue.add(dispatches, now);
      this.metrics.dispatched(dispatches.length);
    } catch (error) {
      failure = (error as Error).message;
      await this.leaveToRescue(runs, error);
    }
    this.tracing?.enqueued(runs, dispatches.length, { start: now, end: this.clock.now() }, failure);
  }

  /** What agents do is theirs to fetch: those who wait for it are told to look. */
  private withoutAgents(runs: readonly RunToDispatch[]): RunToDispatch[] {
    this.signals.send({ cancel: [], agentRuns: true });
    return runs.filter((run) => !isForAgents(run));
  }

  private async leaveToRescue(runs: readonly RunToDispatch[], error: unknown): Promise<void> {
    this.metrics.enqueueFailed();
    // That the queue is away has been said once; anything else is worth a line each time.
    const level = error instanceof QueueAway ? 'debug' : 'warn';
    this.log[level]({ runs: runs.length, err: error }, 'the queue did not take the dispatches: rescue will bring them');
    const now = this.clock.now();
    const due = runs.filter(({ dueAt }) => dueAt <= now);
    // Their `wake_at` says when they are due, and so must stay as it is.
    if (due.length < runs.length) this.untoldSince ??= now;
    // Without it rescue still finds them, only later.
    const alarms = due.map(({ id }) => ({ runId: id, at: now + AGAIN_MS }));
    if (alarms.length > 0) await wakeSooner(this.database, alarms).catch(() => undefined);
  }

  private readonly nextId = (second: number): string => `${second}-${this.shard}-${(this.count++).toString(36)}`;
}

const isCommand = ({ executor }: RunToDispatch): boolean => executor === 'SHELL';
const isForAgents = ({ executor }: RunToDispatch): boolean => executor === 'AGENT';
