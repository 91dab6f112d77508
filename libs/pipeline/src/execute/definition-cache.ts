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
    if (missing.size === 0) return;
    for (const definition of await loadDefinitions(this.database, [...missing])) {
      this.known.delete(definition.id);
      this.known.set(definition.id, new CachedDefinition(definition));
    }
    this.forgetOldest();
  }

  get(taskId: bigint): CachedDefinition | undefined {
    return this.known.get(taskId);
  }

  private isFresh(run: ClaimedRun): boolean {
    const known = this.known.get(run.taskId);
    return known !== undefined && known.task.version >= run.taskVersion;
  }

  private forgetOldest(): void {
    for (const id of this.known.keys()) {
      if (this.known.size <= MOST) return;
      this.known.delete(id);
    }
  }
}
