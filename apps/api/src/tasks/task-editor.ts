import { Inject, Injectable } from '@nestjs/common';
import { definitionOf, findTask, replaceTask, type StoredTask, type TaskWitness } from '#database';
import { keepSecretKey, NotFound, StaleVersion, type TaskDefinition } from '#domain';
import { EnqueueRuns, PLATFORM, type Platform } from '#pipeline';
import { sealNotify } from './seal-notify.js';

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
    const task = sealNotify(change(definitionOf(stored)), { secrets, tenantId, now: clock.now() });
    const changed = await replaceTask(database, clock, { tenantId, id, version: current, task, witness });
    // Should the queue not hear of them, rescue brings them there.
    await this.enqueue.add(changed.released);
    return changed.task;
  }
}

/** A change that does not repeat the secret key means the one that is there. */
export function withStoredSecret<Request extends { notify?: unknown }>(
  request: Request,
  task: TaskDefinition,
): Request {
  const notify = keepSecretKey(task.notify, request.notify ?? null);
  return notify === null ? request : { ...request, notify };
}
