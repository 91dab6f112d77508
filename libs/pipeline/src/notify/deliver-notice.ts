import { setTimeout as pause } from 'node:timers/promises';
import {
  acknowledgeNotice,
  type ClaimedNotice,
  claimNotice,
  type Clock,
  type Database,
  failTry,
  hostOf,
  putOffNotice,
} from '#database';
import { nextTry, ReceiverShares } from '#domain';
import { type AxiosInstance, isCancel } from 'axios';
import type { Logger } from 'pino';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { EnqueueNotices } from './enqueue-notices.js';
import { type Failure, failureOf } from './failure-of.js';
import type { NoticeRequests } from './notice-request.js';

/** How much longer than the call itself a try may take before it counts as lost. */
const LEASE_MARGIN_MS = 15_000;
const WRITE_AGAIN_MS = 500;
/** How soon another worker may have what this one does not take. */
const HAND_ON_MS = 200;

export interface DeliverOptions {
  timeoutMs: number;
  /** How many of the worker's places one receiver may have. */
  mostPerHost: number;
  /** Seconds between tries. */
  retrySeconds: readonly number[];
}

type Sent = { status: number } | { error: Error };

/** Sends notices: claims one, calls its receiver, and writes down what came of it. Never holds anything across the call. */
export class DeliverNotice {
  private readonly stopping = new AbortController();
  private paused = false;
  private sending = 0;
  private readonly shares: ReceiverShares;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly http: Pick<AxiosInstance, 'request'>,
    private readonly requests: NoticeRequests,
    private readonly enqueue: EnqueueNotices,
    private readonly options: DeliverOptions,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
  ) {
    this.shares = new ReceiverShares(options.mostPerHost);
  }

  /** `host` says whose share of the places it takes; where it is sent, the database says. */
  async deliver(id: string, host = ''): Promise<void> {
    if (this.stopping.signal.aborted) return;
    if (this.paused) return this.putOff(id, host, HAND_ON_MS);
    const began = performance.now();
    const waitMs = this.shares.begin(host, began);
    if (waitMs !== null) return this.putOff(id, host, waitMs);
    this.sending++;
    try {
      await this.claimAndSend(id);
    } finally {
      this.sending--;
      this.shares.end(host, performance.now() - began);
    }
  }

  private async putOff(id: string, host: string, waitMs: number): Promise<void> {
    const now = this.clock.now();
    const dueAt = now + waitMs;
    if (await putOffNotice(this.database, id, now, dueAt)) {
      await this.enqueue.add([{ id, attempts: 0, dueAt, host }], true);
    }
  }

  private async claimAndSend(id: string): Promise<void> {
    const leaseMs = this.options.timeoutMs + LEASE_MARGIN_MS;
    const notice = await claimNotice(this.database, id, this.clock.now(), leaseMs);
    if (notice === null) return;
    const sent = await this.send(notice);
    // A receiver that has the notice is told again only if this cannot be written down at all.
    await this.insist(leaseMs, () => this.writeDown(notice, sent));
  }

  /** Takes no notice until it may again; what is being sent is finished. */
  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  get isIdle(): boolean {
    return this.sending === 0;
  }

  /** Breaks off what is being sent: it is sent again, by somebody else. */
  stop(): void {
    this.stopping.abort();
  }

  private async send(notice: ClaimedNotice): Promise<Sent> {
    try {
      const request = this.requests.build(notice, this.clock.now());
      const { status } = await this.http.request({ ...request, signal: this.stopping.signal });
      return { status };
    } catch (error) {
      return { error: error as Error };
    }
  }

  private async writeDown(notice: ClaimedNotice, sent: Sent): Promise<void> {
    if ('error' in sent) {
      return isCancel(sent.error) ? this.handBack(notice) : this.fail(notice, failureOf(sent.error));
    }
    const { status } = sent;
    const isSuccess = await acknowledgeNotice(this.database, this.tryOf(notice), status, this.clock.now());
    this.metrics.noticed('delivered');
    if (isSuccess) this.metrics.moved('SUCCESS', notice.run?.trigger ?? '');
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
    if (nextAt !== null) {
      await this.enqueue.add([{ id: notice.id, attempts, dueAt: nextAt, host: this.hostOf(notice) }]);
    }
  }

  private async handBack(notice: ClaimedNotice): Promise<void> {
    const now = this.clock.now();
    const error = 'the worker stopped while it was sending';
    const handed = { ...this.tryOf(notice), nextAt: now, httpStatus: null, error, uncounted: true };
    if (await failTry(this.database, handed)) {
      const { id, attempts } = notice;
      await this.enqueue.add([{ id, attempts: attempts - 1, dueAt: now, host: this.hostOf(notice) }], true);
    }
  }

  private tryOf(notice: ClaimedNotice) {
    // The deployment's own address is its configuration's business, not the database's.
    const target = notice.kind === 'alert' ? { url: '', method: 'POST' } : this.requests.targetOf(notice);
    return { id: notice.id, claimId: notice.claimId, ...target };
  }

  private hostOf(notice: ClaimedNotice): string {
    return notice.kind === 'alert' ? '' : hostOf(this.requests.targetOf(notice).url);
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
