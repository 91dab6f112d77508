import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { authModeOf } from '#config';
import {
  type AuditNote,
  type Session,
  Sql,
  type StoredTask,
  type TaskWitness,
  type Witness,
  writeAudit,
} from '#database';
import { changedFields, maskSecrets } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { auditedTask } from './audited-task.js';
import { Grouped } from './grouped.js';

/** What is done, and to what. */
export interface Change {
  action: string;
  entity: 'task' | 'run' | 'backfill' | 'delivery' | 'api_key' | 'node';
  entityId: string;
  before?: unknown;
  after?: unknown;
  /** Where it is not the one the request is about. */
  tenantId?: string;
}

/** Writes down who did what: in the transaction that does it, or right after it. Secrets are masked on their way. */
@Injectable()
export class Audit {
  private readonly demands: Grouped<AuditNote>;
  private readonly keepsDemands: boolean;

  constructor(@Inject(PLATFORM) private readonly platform: Platform) {
    const { database, config } = platform;
    this.demands = new Grouped((notes) => writeAudit(Sql.on(database), notes));
    this.keepsDemands = authModeOf(config) === 'keys';
  }

  /** In the transaction of the session. */
  write(session: Session, request: FastifyRequest, change: Change): Promise<void> {
    return this.writeOn(Sql.on(this.platform.database, session), request, change);
  }

  writeOn(sql: Sql, request: FastifyRequest, change: Change): Promise<void> {
    return writeAudit(sql, [this.noteOf(request, change)]);
  }

  /** For what knows how it was before: `after` is what it says of the time after. */
  witness(request: FastifyRequest, change: Change & { after: object }): Witness {
    return (sql, status) => writeAudit(sql, [this.noteOf(request, { ...change, before: { status } })]);
  }

  taskCreated(session: Session, request: FastifyRequest, task: StoredTask): Promise<void> {
    const after = auditedTask(task);
    return this.write(session, request, {
      action: 'task.create',
      entity: 'task',
      entityId: String(task.row.id),
      after,
    });
  }

  taskWitness(request: FastifyRequest, action: string): TaskWitness {
    return async (sql, before, after) => {
      const fields = changedFields(auditedTask(before), after && auditedTask(after));
      const change = { action, entity: 'task' as const, entityId: String(before.row.id), ...fields };
      await writeAudit(sql, [this.noteOf(request, change)]);
    };
  }

  /**
   * Runs that were asked for: after they are committed, in groups, since they come by the thousand; each is on record as a run anyway.
   * Where nobody shows a key there is nobody to write down, and it is left out.
   */
  async demanded(request: FastifyRequest, change: Change): Promise<void> {
    if (!this.keepsDemands) return;
    await this.demands.add(this.noteOf(request, change)).catch((error: unknown) => {
      this.platform.log.warn({ err: error, trace_id: request.id }, 'runs that were asked for are not in the audit log');
    });
  }

  private noteOf(request: FastifyRequest, { before = null, after = null, ...change }: Change): AuditNote {
    const { tenantId, keyId, by, address } = request.access;
    const who = { tenantId, keyId, by, address: address.slice(0, 64), traceId: request.id };
    return {
      ...who,
      ...change,
      tenantId: change.tenantId ?? tenantId,
      at: this.platform.clock.now(),
      before: maskSecrets(before),
      after: maskSecrets(after),
    };
  }
}
