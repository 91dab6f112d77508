import { startWorker } from '../support/deployment.js';
import type { Child } from '../support/child.js';
import { addTasks, isBusy, removeAll, unfinished } from '../support/tasks.js';
import { Workbench } from '../support/workbench.js';
import { type Contender, groups, until } from './contender.js';

export interface PunctualOptions {
  name: string;
  databaseUrl: string;
  redisUrl: string;
  targetUrl: string;
  concurrency: number;
  /** 1 makes every run one of a task of its own. */
  runsPerTask: number;
}

/** Runs one transaction admits when they are handed in: a full batch request. */
const AT_ONCE = 1_000;

/** The product: runs are admitted with all of their history, called and closed by its worker process. */
export class Punctual implements Contender {
  readonly name: string;
  private tasks: bigint[] = [];

  private constructor(
    private readonly options: PunctualOptions & { queuePrefix: string },
    private readonly bench: Workbench,
  ) {
    this.name = options.name;
  }

  static async open(options: PunctualOptions): Promise<Punctual> {
    const queuePrefix = `drain-${new URL(options.databaseUrl).pathname.slice(1)}`;
    const all = { ...options, queuePrefix };
    return new Punctual(all, await Workbench.open(all));
  }

  async prepare(count: number): Promise<void> {
    const { runsPerTask, targetUrl } = this.options;
    const { database } = this.bench;
    const plan = { targetUrl, cronExpr: '0 0 0 1 1 *', nextFireAt: null };
    await addTasks(database, { ...plan, count: Math.ceil(count / runsPerTask) });
    this.tasks = (await database.client.task.findMany({ select: { id: true } })).map(({ id }) => id);
  }

  /** Task after task takes its turn. */
  async handIn(count: number): Promise<void> {
    for (const group of groups(count, AT_ONCE)) {
      await this.bench.admit(group.map((i) => this.tasks[i % this.tasks.length]));
    }
  }

  startWorker(): Promise<Child> {
    return startWorker(this.options, this.options.concurrency);
  }

  finished(): Promise<void> {
    return until(async () => !(await isBusy(this.bench.database)), 'every run is closed');
  }

  /** The runs themselves: to ask them would take so long that it cannot be what `finished` waits for. */
  async check(): Promise<void> {
    const left = await unfinished(this.bench.database);
    if (left > 0) throw new Error(`${left} runs are not closed, whatever the counters say`);
  }

  clear(): Promise<void> {
    return removeAll(this.bench.database);
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}
