import { Inject, Injectable } from '@nestjs/common';
import { definitionOf, findTask, replaceTask, type StoredTask, type TaskWitness } from '#database';
import {
  type Deployment,
  InvalidInput,
  keepSecretHeaders,
  keepSecretKey,
  movedSecrets,
  NotFound,
  type Notify,
  StaleVersion,
  type TaskDefinition,
} from '#domain';
import { EnqueueRuns, PLATFORM, type Platform } from '#pipeline';
import { definitionFrom } from './definition-from.js';
import type { TaskFields } from './fields/task-fields.js';
import { sealSecrets } from './seal-headers.js';

export interface TaskEdit {
  tenantId: string;
  id: bigint;
  /** The version the user saw; without it the last writer wins. */
  version: number | undefined;
  change: (task: TaskDefinition) => TaskDefinition;
  witness?: TaskWitness;
}

const TRIES = 10;

/** Reads, changes and writes back; what somebody else changed in between is read again, unless the user named a version. */
@Injectable()
export class TaskEditor {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly enqueue: EnqueueRuns,
  ) {}

  async edit(edit: TaskEdit): Promise<StoredTask> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.editOnce(edit);
      } catch (error) {
        if (!(error instanceof StaleVersion) || edit.version !== undefined || attempt >= TRIES) throw error;
      }
    }
  }

  private async editOnce({ tenantId, id, version, change, witness }: TaskEdit): Promise<StoredTask> {
    const { database, clock, secrets } = this.platform;
    const stored = await findTask(database.client, tenantId, id);
    if (stored === null) throw new NotFound('task', String(id));
    const current = stored.row.version;
    if (version !== undefined && version !== current) throw new StaleVersion(String(id), version, current);
    const task = sealSecrets(change(definitionOf(stored)), { secrets, tenantId, now: clock.now() });
    const changed = await replaceTask(database, clock, { tenantId, id, version: current, task, witness });
    // Should the queue not hear of them, rescue brings them there.
    await this.enqueue.add(changed.released);
    return changed.task;
  }
}

interface TaskChange {
  request: TaskFields & { name?: string };
  stored: TaskDefinition;
  /** What is changed: the stored task, or, where it is replaced, an empty one. */
  base: TaskDefinition;
}

/** What a task becomes. A change that does not repeat its secrets means those that are there. */
export function changedTask({ request, stored, base }: TaskChange, deployment: Deployment): TaskDefinition {
  const task = definitionFrom(withStoredSecrets(request, stored), base, deployment);
  const problems = movedSecrets(stored, task, request.headers_json);
  if (problems.length > 0) throw new InvalidInput(problems);
  return task;
}

function withStoredSecrets<Request extends TaskFields>(request: Request, task: TaskDefinition): Request {
  const notify = keepSecretKey(task.notify, (request.notify ?? null) as Notify | null);
  const headers = request.headers_json && keepSecretHeaders(task.headersJson, request.headers_json);
  return { ...request, ...(notify === null ? {} : { notify }), ...(headers ? { headers_json: headers } : {}) };
}
