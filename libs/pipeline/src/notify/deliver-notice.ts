import { setTimeout as pause } from 'node:timers/promises';
import { acknowledgeNotice, type ClaimedNotice, claimNotice, type Clock, type Database, failTry } from '#database';
import { type CallOutcome, classifyResponse, nextTry } from '#domain';
import type { TargetClient } from '#outbound';
import type { Logger } from 'pino';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { EnqueueNotices } from './enqueue-notices.js';
import type { NoticeRequests } from './notice-request.js';

/** How much longer than the call itself a try may take before it counts as lost. */
const LEASE_MARGIN_MS = 15_000;
const WRITE_AGAIN_MS = 500;
/** How much of an answer is kept, to tell what a receiver did not like. */
const KEPT = 512;
const LONGEST_ERROR = 1_000;

export interface DeliverOptions {
  timeoutMs: number;
  /** Seconds between tries. */
  retrySeconds: readonly number[];
}

/** What one try came to. */
interface Failure {
  httpStatus: number | null;
  retryAfter: string | undefined;
  error: string;
}

/** Sends notices: claims one, calls its receiver, and writes down what came of it. Never holds anything across the call. */
export class DeliverNotice {
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly client: Pick<TargetClient, 'call'>,
    private readonly requests: NoticeRequests,
    private readonly enqueue: EnqueueNotices,
    private readonly options: DeliverOptions,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
  ) {}

  async deliver(id: string): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const leaseMs = this.options.timeoutMs + LEASE_MARGIN_MS;
    const notice = await claimNotice(this.database, id, this.clock.now(), leaseMs);
    if (notice === null) return;
    const outcome = await this.send(notice);
    // A receiver that has the notice is told again only if this cannot be written down at all.
    await this.insist(leaseMs, () => this.writeDown(notice, outcome));
  }

  /** Breaks off what is being sent: it is sent again, by somebody else. */
  stop(): void {
    this.stopping.abort();
  }

  private async send(notice: ClaimedNotice): Promise<CallOutcome | Error> {
    try {
      const call = this.requests.build(notice, this.clock.now());
      return await this.client.call({ ...call, signal: this.stopping.signal, bodyKeepLimit: KEPT });
    } catch (error) {
      return error as Error;
    }
  }

  private async writeDown(notice: ClaimedNotice, outcome: CallOutcome | Error): Promise<void> {
    if (!(outcome instanceof Error) && outcome.kind === 'aborted') return this.handBack(notice);
    const failure = failureOf(outcome);
    if (failure !== null) return this.fail(notice, failure);
    const { status } = outcome as Extract<CallOutcome, { kind: 'response' }>;
    await acknowledgeNotice(this.database, this.tryOf(notice), status, this.clock.now());
    this.metrics.noticed('delivered');
    this.log.debug({ ...idsOf(notice), http_status: status }, 'a notice was delivered');
  }

  private async fail(notice: ClaimedNotice, { error, ...failure }: Failure): Promise<void> {
    const now = this.clock.now();
    const { attempts } = notice;
    const next = nextTry({ attempts, ...failure }, this.options.retrySeconds, now, Math.random());
    const nextAt = next.kind === 'again' ? next.at : null;
    const isOurs = await failTry(this.database, { ...this.tryOf(notice), ...failure, error, nextAt });
    if (!isOurs) return;
    this.metrics.noticed(nextAt === null ? 'failed' : 'retried');
    const text = nextAt === null ? 'a notice was given up' : 'a notice was not delivered, it will be tried again';
    this.log[nextAt === null ? 'warn' : 'info']({ ...idsOf(notice), reason: error }, text);
    if (nextAt !== null) await this.enqueue.add([{ id: notice.id, attempts, dueAt: nextAt }]);
  }

  private async handBack(notice: ClaimedNotice): Promise<void> {
    const now = this.clock.now();
    const error = 'the worker stopped while it was sending';
    const handed = { ...this.tryOf(notice), nextAt: now, httpStatus: null, error, uncounted: true };
    if (await failTry(this.database, handed)) {
      await this.enqueue.add([{ id: notice.id, attempts: notice.attempts - 1, dueAt: now }], true);
    }
  }

  private tryOf(notice: ClaimedNotice) {
    // The deployment's own address is its configuration's business, not the database's.
    const target = notice.kind === 'alert' ? { url: '', method: 'POST' } : this.requests.targetOf(notice);
    return { id: notice.id, claimId: notice.claimId, ...target };
  }

  private async insist(forMs: number, work: () => Promise<void>): Promise<void> {
    const end = performance.now() + forMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (performance.now() > end || this.stopping.signal.aborted) throw error;
        await pause(WRITE_AGAIN_MS);
      }
    }
  }
}

const idsOf = ({ id, kind, runId, attempts }: ClaimedNotice) => ({ delivery_id: id, kind, run_id: runId, attempts });

/** Null when the receiver has acknowledged. */
function failureOf(outcome: CallOutcome | Error): Failure | null {
  if (outcome instanceof Error) return { httpStatus: null, retryAfter: undefined, error: shortened(outcome.message) };
  const verdict = classifyResponse(outcome);
  if (verdict.kind === 'success') return null;
  const reason =
    verdict.kind === 'canceled' ? 'it was broken off' : verdict.errorInfo.replace('the target', 'the receiver');
  if (outcome.kind !== 'response') return { httpStatus: null, retryAfter: undefined, error: shortened(reason) };
  const said = outcome.bodyEncoding === 'text' && outcome.body.trim() !== '' ? `: ${outcome.body.trim()}` : '';
  return { httpStatus: outcome.status, retryAfter: outcome.retryAfter, error: shortened(reason + said) };
}

/** Text that both databases can store. */
const shortened = (text: string): string => text.slice(0, LONGEST_ERROR).toWellFormed().replaceAll('\0', '\ufffd');
