import {
  type CallableRun,
  type CallbackToken,
  type Clock,
  closedStatusOf,
  type Database,
  findCallback,
  heartbeat,
} from '#database';
import {
  BadCallbackToken,
  type CallbackSaid,
  judgeCallback,
  NotFound,
  OtherOutcome,
  WrongCallbackMethod,
} from '#domain';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { SettleGroup } from '../settle/settle-group.js';
import { LateCallbacks } from './late-callbacks.js';
import { outcomeHash, ownerOf } from './token.js';
import { settlementOfCallback } from './settlement-of-callback.js';

export interface CallbackRequest {
  runId: string;
  token: string | null;
  method: string;
}

export interface CallbackReply {
  answer: 'first' | 'duplicate' | 'late';
  /** What the run is now. */
  status: string;
}

export interface HeartbeatReply {
  /** Whether the attempt is over: whoever works on it may stop. */
  isOver: boolean;
  status: string;
  deadlineAt: number | null;
  heartbeatDeadlineAt: number | null;
}

/** A run that changes under our hands is looked at again this often. */
const LOOKS = 5;

/**
 * Takes what targets have to say about their attempts. Whoever is first closes the run, by the guarded update every settlement
 * is; the others are told what they are. Nothing is decided on what was read, but on what is still so when it is written.
 */
export class ReceiveCallback {
  private readonly late: LateCallbacks;
  /** Runs that are being closed here: whoever says something of them meanwhile waits, and looks again. */
  private readonly closing = new Map<string, Promise<boolean>>();
  private underWay = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settle: SettleGroup,
    private readonly metrics: PipelineMetrics,
  ) {
    this.late = new LateCallbacks(database, clock, settle, metrics);
  }

  async receive(request: CallbackRequest, said: CallbackSaid): Promise<CallbackReply> {
    this.underWay += 1;
    try {
      return await this.answer(request, said);
    } finally {
      this.underWay -= 1;
    }
  }

  /** Cheap: one row is read, one is written. */
  async beat(request: Omit<CallbackRequest, 'method'>, progress?: unknown): Promise<HeartbeatReply> {
    const { run, owner } = await this.find(request);
    this.metrics.calledBack('heartbeat');
    const now = this.clock.now();
    const { deadlineAt, heartbeatTimeoutSec: seconds } = run;
    const heartbeatDeadlineAt = seconds === null ? null : now + seconds * 1000;
    const beats = { runId: run.id, execId: owner.execId, progress, heartbeatDeadlineAt };
    const isAlive = run.execId === owner.execId && (await heartbeat(this.database, beats, now));
    return isAlive
      ? { isOver: false, status: run.status, deadlineAt, heartbeatDeadlineAt }
      : { isOver: true, status: run.status, deadlineAt: null, heartbeatDeadlineAt: null };
  }

  private async answer(request: CallbackRequest, said: CallbackSaid): Promise<CallbackReply> {
    const hash = outcomeHash(said);
    for (let look = 1; look <= LOOKS; look++) {
      const reply = await this.decide(request, said, hash);
      if (reply === null) continue;
      this.metrics.calledBack(reply.answer);
      return reply;
    }
    throw new Error(`run ${request.runId} changes faster than its callback can be taken`);
  }

  /** Null when the run was not as it was seen any more. */
  private async decide(request: CallbackRequest, said: CallbackSaid, hash: string): Promise<CallbackReply | null> {
    const { run, owner } = await this.find(request);
    if (run.callbackMethod !== request.method) throw new WrongCallbackMethod(run.callbackMethod);
    switch (judgeCallback({ ...run, attempt: owner }, hash)) {
      case 'duplicate':
        return { answer: 'duplicate', status: run.status };
      case 'conflict':
        this.metrics.calledBack('conflict');
        throw new OtherOutcome(run.id, owner.outcome ?? '');
      case 'late': {
        const status = await this.late.take(run, owner, said, hash);
        return status === null ? null : { answer: 'late', status };
      }
      case 'close':
        return this.close(run, owner, said, hash);
    }
  }

  private async close(run: CallableRun, owner: CallbackToken, said: CallbackSaid, hash: string) {
    const other = this.closing.get(run.id);
    if (other !== undefined) return other.then(() => null);
    const settlement = settlementOfCallback({ run, owner, said, hash }, this.clock.now(), Math.random());
    const closing = this.settle.add(settlement, this.underWay <= 1);
    this.closing.set(run.id, closing);
    try {
      return (await closing) ? { answer: 'first' as const, status: closedStatusOf(settlement) } : null;
    } finally {
      this.closing.delete(run.id);
    }
  }

  private async find({ runId, token }: Omit<CallbackRequest, 'method'>) {
    const run = token === null ? undefined : await findCallback(this.database, runId);
    if (run === null) throw new NotFound('run', runId);
    const owner = run && token !== null ? ownerOf(run.tokens, token) : null;
    if (run === undefined || owner === null) {
      this.metrics.calledBack('bad_token');
      throw new BadCallbackToken(runId);
    }
    return { run, owner };
  }
}
