import type { SecretBox } from '#config';
import { type ClaimedRun, type Database, loadDefinitions, type TaskDefinition } from '#database';
import { type Executor, taskIdOf } from '#domain';
import { prepareRequest, type PreparedRequest } from './prepared-request.js';

/** A definition and its templates, which are compiled when it is first used. */
export class CachedDefinition {
  /** Name and port of the target; templates cannot reach them, so all runs of a task call the same. Nothing without one. */
  readonly host: string;
  private compiled: PreparedRequest | undefined;

  constructor(
    readonly task: TaskDefinition,
    private readonly secrets: SecretBox,
  ) {
    this.host = task.executor === 'HTTP' ? hostOf(task.targetUrl) : '';
  }

  /** Throws when a template cannot be read (the task was stored by a version that knew more variables), or a secret. */
  get prepared(): PreparedRequest {
    return (this.compiled ??= prepareRequest(this.task, this.secrets));
  }
}

const MOST = 5_000;

/** Task definitions by id and version, so that a busy task is read and compiled once per change, not once per run. */
export class DefinitionCache {
  private readonly known = new Map<bigint, CachedDefinition>();
  private readonly unread = new Set<bigint>();
  private nextRead: Promise<void> | undefined;
  private lastRead: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /** One query for all the tasks that are missing or outdated. */
  async load(runs: readonly ClaimedRun[]): Promise<void> {
    await this.read(new Set(runs.filter((run) => !this.isFresh(run)).map((run) => run.taskId)));
    this.forgetOldest(new Set(runs.map((run) => run.taskId)));
  }

  /** Makes the tasks of runs known that are not claimed yet, in whatever version they have. */
  async learn(runIds: readonly string[]): Promise<void> {
    const unknown = runIds.map(taskIdOf).filter((id) => id !== null && !this.known.has(id)) as bigint[];
    if (unknown.length > 0) await this.readTogether(unknown);
  }

  /** Reads the tasks of these runs again: what is known of them may be out of date. */
  async relearn(runIds: readonly string[]): Promise<void> {
    await this.read(new Set(runIds.map(taskIdOf).filter((id) => id !== null)));
  }

  /** Where a run will call; nothing when its task is gone or unknown. */
  hostOf(runId: string): string {
    const id = taskIdOf(runId);
    return (id !== null && this.known.get(id)?.host) || '';
  }

  /** Who does the run's work, as far as is known before it is claimed. */
  executorOf(runId: string): Executor {
    const id = taskIdOf(runId);
    return (id !== null && this.known.get(id)?.task.executor) || 'HTTP';
  }

  get(taskId: bigint): CachedDefinition | undefined {
    return this.known.get(taskId);
  }

  /** One query at a time, for all that were asked for during the last one: those who ask first know first. */
  private readTogether(tasks: readonly bigint[]): Promise<void> {
    for (const id of tasks) this.unread.add(id);
    if (this.nextRead !== undefined) return this.nextRead;
    const read = this.lastRead.then(() => {
      const unread = [...this.unread].filter((id) => !this.known.has(id));
      this.unread.clear();
      this.nextRead = undefined;
      return this.read(new Set(unread));
    });
    this.nextRead = read;
    this.lastRead = read.catch(() => undefined);
    return read;
  }

  private async read(tasks: ReadonlySet<bigint>): Promise<void> {
    if (tasks.size === 0) return;
    for (const task of await loadDefinitions(this.database, [...tasks])) {
      this.known.set(task.id, new CachedDefinition(task, this.secrets));
    }
  }

  private isFresh(run: ClaimedRun): boolean {
    const known = this.known.get(run.taskId);
    return known !== undefined && known.task.version >= run.taskVersion;
  }

  /** What is in use moves to the end first, so that it is never what is forgotten. */
  private forgetOldest(inUse: ReadonlySet<bigint>): void {
    for (const id of inUse) {
      const definition = this.known.get(id);
      if (definition && this.known.delete(id)) this.known.set(id, definition);
    }
    for (const id of this.known.keys()) {
      if (this.known.size <= Math.max(MOST, inUse.size)) return;
      this.known.delete(id);
    }
  }
}

/** A URL that cannot be read is refused when it is called. */
function hostOf(targetUrl: string | null): string {
  return targetUrl !== null && URL.canParse(targetUrl) ? new URL(targetUrl).host : '';
}
