import {
  type CallableRun,
  type CallbackToken,
  type Clock,
  type Correction,
  correctRun,
  type Database,
  hasChangedRun,
  keepLateCallback,
  type KeptEffect,
  type LateSaid,
  markLateCallback,
} from '#database';
import { type CallbackSaid, type LateEffect, lateEffect, statusUntilTold, verdictOfCallback } from '#domain';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { SettleGroup } from '../settle/settle-group.js';
import { plain } from '../settle/plain.js';
import { keepsBodies } from '../settle/settlement-of.js';
import { settlementOfCallback } from './settlement-of-callback.js';

type Move = Extract<LateEffect, { kind: 'move' }>;

/** Callbacks after the end of their attempt: all are kept, and `late_policy` says what else they do. */
export class LateCallbacks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settle: SettleGroup,
    private readonly metrics: PipelineMetrics,
  ) {}

  /** What the run is now; null when it was not as it was seen any more. */
  async take(run: CallableRun, owner: CallbackToken, said: CallbackSaid, hash: string): Promise<string | null> {
    const late: LateSaid = {
      ...{ runId: run.id, attempt: owner.attempt, tenantId: run.tenantId, hash, outcome: said.status },
      ...{ result: said.result ?? null, errorInfo: said.errorInfo === undefined ? null : plain(said.errorInfo) },
    };
    await keepLateCallback(this.database, late, this.clock.now());
    const effect = await this.effectOf(run, owner, said);
    if (effect.kind === 'record') return run.status;
    const isMoved =
      effect.from === 'RETRYING'
        ? await this.callOff({ run, owner, said, hash }, late, effect)
        : await this.correct(run, { late, ...correctionOf(run, owner, said, effect) });
    return isMoved ? statusUntilTold(run.notify, effect.to) : null;
  }

  private async effectOf(run: CallableRun, owner: CallbackToken, said: CallbackSaid): Promise<LateEffect> {
    const policy = run.latePolicy;
    if (policy === 'RECORD') return { kind: 'record' };
    return lateEffect({
      ...{ policy, outcome: said.status, status: run.status },
      isLastAttempt: run.execId === owner.execId,
      hasChangedRun: await hasChangedRun(this.database, run.id),
    });
  }

  private async correct({ trigger, notify }: CallableRun, correction: Correction): Promise<boolean> {
    const isCorrected = await correctRun(this.database, correction, this.clock.now());
    if (isCorrected) this.metrics.moved(statusUntilTold(notify, correction.to), trigger, correction.errorCode);
    return isCorrected;
  }

  /** The next attempt is not needed any more: the run gives its slot back as it would have done in time. */
  private async callOff(received: Parameters<typeof settlementOfCallback>[0], late: LateSaid, effect: Move) {
    const { status, errorCode, errorInfo } = endOf(received.said, effect);
    const inTime = settlementOfCallback(received, this.clock.now(), 0);
    const end = { status, errorCode, errorInfo, dueAgainAt: null, withoutAttempt: true, callback: undefined };
    if (!(await this.settle.add({ ...inTime, ...end }, true))) return false;
    await markLateCallback(this.database, late, keptEffect(effect));
    return true;
  }
}

function correctionOf(run: CallableRun, owner: CallbackToken, said: CallbackSaid, effect: Move) {
  const { status: to, errorCode, errorInfo } = endOf(said, effect);
  const result = keepsBodies(run.logMode, to === 'SUCCESS') ? (said.result ?? null) : null;
  const { taskId, tickAttempt, notify } = run;
  const facts = { taskId, execId: owner.execId, tickAttempt, notify, from: effect.from };
  return { ...facts, to, errorCode, errorInfo, effect: keptEffect(effect), result };
}

const keptEffect = ({ to }: Move): KeptEffect => (to === 'PENDING' ? 'PENDING' : 'ACCEPTED');

function endOf(said: CallbackSaid, { from, to }: Move) {
  if (to === 'SUCCESS') return { status: to, errorCode: null, errorInfo: null };
  if (to === 'PENDING') {
    const errorInfo = `a callback said ${said.status} when the run was ${from} already; a person decides`;
    return { status: to, errorCode: 'LATE_CALLBACK', errorInfo };
  }
  const verdict = verdictOfCallback(said);
  const { errorCode, errorInfo } = verdict.kind === 'failed' ? verdict : { errorCode: '', errorInfo: '' };
  return { status: to, errorCode, errorInfo: plain(errorInfo) };
}
