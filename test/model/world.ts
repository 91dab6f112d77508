import type { ClaimedRun } from '#database';
import type { Product, Snapshot } from './product.js';
import { type Definition, type ReferenceRun, ReferenceTask } from './reference-task.js';

interface Started {
  task: ReferenceTask;
  run: ReferenceRun;
  execution: ClaimedRun;
}

/** The reference tasks, the time, and every execution a worker was ever given. */
export class World {
  readonly tasks: ReferenceTask[] = [];
  readonly started: Started[] = [];
  /** What was stored after the last step. */
  readonly seen = new Map<bigint, Snapshot>();

  /** How many runs that waited were let in by what. */
  readonly releases = { settle: 0, callback: 0, cancel: 0, change: 0, rescue: 0 };

  constructor(public now: number) {}

  releasedBy(cause: keyof World['releases'], runs: readonly string[]): void {
    this.releases[cause] += runs.length;
  }

  async add(product: Product, definition: Definition): Promise<void> {
    const nextFire = Math.floor(this.now / 1000) + 1;
    this.tasks.push(new ReferenceTask(await product.create(definition, nextFire), definition, nextFire));
  }

  get live(): ReferenceTask[] {
    return this.tasks.filter((task) => task.state !== 'DELETED');
  }

  get runs(): { task: ReferenceTask; run: ReferenceRun }[] {
    return this.tasks.flatMap((task) => task.runs.map((run) => ({ task, run })));
  }

  /** Runs a worker may take. */
  get claimable() {
    return this.runs.filter(({ run }) => run.status === 'SCHEDULED' || run.status === 'RETRYING');
  }

  /** Runs a person may have tried again. */
  get pending() {
    return this.runs.filter(({ task, run }) => run.status === 'PENDING' && task.state !== 'DELETED');
  }

  get running(): Started[] {
    return this.started.filter(isCurrent);
  }

  /** Executions whose target has accepted, and nobody has said yet how they ended. */
  get waiting(): Started[] {
    return this.started.filter(isWaiting);
  }

  /** Those that nobody can close any more, neither a worker nor a callback. */
  get over(): Started[] {
    return this.stale.filter((one) => !isWaiting(one));
  }

  /** Executions that ended, were accepted, called off or taken over: whatever they say now comes too late. */
  get stale(): Started[] {
    return this.started.filter((one) => !isCurrent(one));
  }

  /** To the next whole second that is `seconds` away, and a little more. */
  advance(seconds: number): void {
    this.now = (Math.floor(this.now / 1000) + seconds) * 1000 + 20;
  }
}

const isWaiting = ({ run, execution }: Started) =>
  run.status === 'WAITING_CALLBACK' && run.attempt === execution.attempt;

const isCurrent = ({ run, execution }: Started) => run.status === 'RUNNING' && run.attempt === execution.attempt;
