import { randomBytes } from 'node:crypto';
import type { SecretBox } from '#config';
import type { ClaimedNotice } from '#database';
import { alertBody, liveKeys, noticeBody, type NotifySecurity } from '#domain';
import { signatureHeaders } from '#outbound';
import type { AxiosRequestConfig } from 'axios';
import { traceparent } from '../trace/trace-id.js';

/** Where alerts go, and what signs them. */
export interface AlertTarget {
  url: string | null;
  sk: string | null;
}

/** Nothing can be sent; the message says why, and nothing secret. */
export class Unsendable extends Error {}

/** What a secret key was sealed for. */
export const keyContext = (tenantId: string): string => `${tenantId}/notify.sk`;

/** What was signed is what is sent, and what was answered is what is kept: axios would trim the one and parse the other. */
const AS_IT_IS = { transformRequest: [], transformResponse: [] };

/** Its receiver was promised signatures, and could not tell an unsigned one from a forgery. */
const KEY_TAKEN_AWAY =
  'it is to be signed, but its task has no secret key any more: give the task one, and redeliver this notice';

interface Signer {
  ak: string | null;
  keys: string[];
}

/** Builds the request of one try: the body is that of every try, the signature is new. */
export class NoticeRequests {
  constructor(
    private readonly secrets: SecretBox,
    private readonly alerts: AlertTarget,
    private readonly timeoutMs: number,
  ) {}

  /** Where a try goes: to what the task says now, or, where it names nobody any more, to what it said then. */
  targetOf({ kind, url, method, notify }: ClaimedNotice): { url: string; method: string } {
    if (kind === 'alert') return { url: this.alerts.url ?? '', method: 'POST' };
    const target = notify?.[kind];
    return target ? { url: target.url, method: target.method ?? 'POST' } : { url, method };
  }

  /** `now` is epoch milliseconds. Throws Unsendable or SecretUnavailable. */
  build(notice: ClaimedNotice, now: number): AxiosRequestConfig<string> {
    const target = this.targetOf(notice);
    if (!URL.canParse(target.url)) throw new Unsendable('there is no address to send it to any more');
    const data = this.bodyOf(notice);
    const headers = this.headersOf(notice, target, data, Math.floor(now / 1000));
    return { ...target, ...AS_IT_IS, data, headers, timeout: this.timeoutMs };
  }

  private bodyOf({ id, kind, ending, run, runId, ...notice }: ClaimedNotice): string {
    const taskId = String(notice.taskId);
    if (kind === 'alert') {
      const about = { alert: notice.alert ?? '', count: notice.alertCount, runId, taskId };
      return JSON.stringify(alertBody(id, { ...ending, ...about, run: run && { ...run, ...ending } }));
    }
    if (run === null) throw new Unsendable('its run is not there any more');
    return JSON.stringify(noticeBody(id, kind, { ...run, ...ending, id: runId, taskId }));
  }

  private headersOf(
    notice: ClaimedNotice,
    { method, url }: { method: string; url: string },
    body: string,
    timestamp: number,
  ): Record<string, string> {
    const { id, kind, runId, attempts, run, claimId } = notice;
    const { pathname: path, search } = new URL(url);
    const nonce = randomBytes(16).toString('hex');
    const { ak, keys } = this.signerOf(notice, timestamp * 1000);
    const request = { id, method, path, query: search.slice(1), body, timestamp, nonce };
    return {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'x-punctual-delivery-id': id,
      'x-punctual-delivery-attempt': String(attempts),
      'x-punctual-event': kind,
      'x-punctual-run-id': runId,
      ...(run === null ? {} : { traceparent: traceparent(run.traceId, claimId) }),
      ...(keys.length === 0 ? {} : signatureHeaders(request, ak, keys)),
    };
  }

  private signerOf({ kind, notify, tenantId, signed }: ClaimedNotice, now: number): Signer {
    if (kind === 'alert') return { ak: null, keys: this.alerts.sk === null ? [] : [this.alerts.sk] };
    if (notify?.security?.type === 'aksk') return this.ofTask(notify.security, tenantId, now);
    if (signed) throw new Unsendable(KEY_TAKEN_AWAY);
    return { ak: null, keys: [] };
  }

  private ofTask({ ak, sealed = [] }: NotifySecurity, tenantId: string, now: number): Signer {
    const keys = liveKeys(sealed, now).map((key) => this.secrets.open(key, keyContext(tenantId)));
    if (keys.length === 0) throw new Unsendable('the task has no secret key to sign it with: give it one');
    return { ak: ak ?? null, keys };
  }
}
