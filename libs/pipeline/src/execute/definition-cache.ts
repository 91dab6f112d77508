import { type ClaimedRun, type Database, loadDefinitions, type TaskDefinition } from '#database';
import { prepareRequest, type PreparedRequest } from './prepared-request.js';

/** A definition and its templates, which are compiled when it is first used. */
export class CachedDefinition {
  private compiled: PreparedRequest | undefined;

  constructor(readonly task: TaskDefinition) {}

  /** Throws when a template cannot be read: the task was stored by a version that knew more variables. */
  get prepared(): PreparedRequest {
    return (this.compiled ??= prepareRequest(this.task));
  }
}

const MOST = 5_000;

/** Task definitions by id and version, so that a busy task is read and compiled once per change, not once per run. */
export class DefinitionCache {
  private readonly known = new Map<bigint, CachedDefinition>();

  constructor(private readonly database: Database) {}

  /** One query for all the tasks that are missing or outdated. */
  async load(runs: readonly ClaimedRun[]): Promise<void> {
    const missing = new Set(runs.filter((run) => !this.isFresh(run)).map((run) => run.taskId));
    if (missing.size > 0) {
      for (const task of await loadDefinitions(this.database, [...missing])) {
        this.known.set(task.id, new CachedDefinition(task));
      }
    }
    this.forgetOldest(new Set(runs.map((run) => run.taskId)));
  }

  get(taskId: bigint): CachedDefinition | undefined {
    return this.known.get(taskId);
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
