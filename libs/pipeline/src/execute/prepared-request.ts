import type { SecretBox } from '#config';
import type { ClaimedRun, TaskDefinition } from '#database';
import {
  bodyPlace,
  type BodyPlace,
  type CompiledTemplate,
  compileTemplate,
  isoTime,
  renderTemplate,
  type TemplateValues,
} from '#domain';
import type { TargetCall } from '#outbound';
import type { Callback } from '../callback/callback-tokens.js';
import { traceparent } from '../trace/trace-id.js';
import { openHeaders } from './open-headers.js';

/** A definition's templates, compiled once. */
export interface PreparedRequest {
  url: CompiledTemplate;
  headers: { name: string; value: CompiledTemplate }[];
  /** Headers that nothing but the target may see. */
  secretNames: string[];
  body: CompiledTemplate | null;
  /** Null where variables say what the body is. */
  bodyPlace: BodyPlace | null;
  contentType: CompiledTemplate | null;
}

/** Throws SecretUnavailable, or a TemplateError. */
export function prepareRequest(definition: TaskDefinition, secrets: SecretBox): PreparedRequest {
  const headers = openHeaders(definition.headers, definition.tenantId, secrets);
  // Of two spellings the last one is sent.
  const given = headers.filter(({ name }) => name === 'content-type').at(-1)?.value;
  const contentType = given === undefined ? null : compileTemplate(given);
  return {
    url: compileTemplate(definition.targetUrl ?? ''),
    headers: headers.map(({ name, value }) => ({ name, value: compileTemplate(value) })),
    secretNames: headers.filter(({ isSecret }) => isSecret).map(({ name }) => name),
    body: definition.bodyTemplate === null ? null : compileTemplate(definition.bodyTemplate),
    bodyPlace: contentType !== null && contentType.slots.length > 0 ? null : bodyPlace(given),
    contentType,
  };
}

const BODILESS = new Set(['GET', 'HEAD']);

/** The call of one execution. Without a template the body is the payload, if there is one. */
export function buildCall(
  definition: TaskDefinition,
  prepared: PreparedRequest,
  run: ClaimedRun,
  abortable: (abort: () => void) => void,
  callback?: Callback,
): TargetCall {
  const values = valuesOf(run, callback);
  const seconds = run.attemptTimeoutSeconds ?? definition.timeoutSeconds;
  const body = BODILESS.has(definition.httpMethod) ? undefined : bodyOf(prepared, run, values);
  return {
    method: definition.httpMethod,
    url: renderTemplate(prepared.url, values, 'url'),
    headers: headersOf(prepared, run, values, body !== undefined),
    body,
    timeoutMs: 1000 * (callback ? Math.min(seconds, definition.callbackTimeoutSec) : seconds),
    abortable,
  };
}

function bodyOf(prepared: PreparedRequest, run: ClaimedRun, values: TemplateValues): string | undefined {
  if (prepared.body !== null) return renderTemplate(prepared.body, values, placeOf(prepared, values));
  return run.payload === null || run.payload === undefined ? undefined : JSON.stringify(run.payload);
}

function placeOf({ bodyPlace: place, contentType }: PreparedRequest, values: TemplateValues): BodyPlace {
  return place ?? bodyPlace(contentType === null ? undefined : renderTemplate(contentType, values, 'header'));
}

function headersOf(prepared: PreparedRequest, run: ClaimedRun, values: TemplateValues, hasBody: boolean) {
  const headers: Record<string, string> = {};
  if (hasBody && prepared.contentType === null) headers['content-type'] = 'application/json';
  for (const { name, value } of prepared.headers) headers[name] = renderTemplate(value, values, 'header');
  headers['x-punctual-run-id'] = run.id;
  headers['x-punctual-attempt'] = String(run.attempt);
  headers['x-punctual-scheduled-time'] = values.scheduled_time;
  headers.traceparent = traceparent(run.traceId, run.execId);
  if (values.callback_url !== undefined && values.callback_token !== undefined) {
    headers['x-punctual-callback-url'] = values.callback_url;
    headers['x-punctual-callback-token'] = values.callback_token;
  }
  return headers;
}

function valuesOf(run: ClaimedRun, callback?: Callback): TemplateValues {
  return {
    callback_url: callback?.url,
    callback_token: callback?.token,
    run_id: run.id,
    task_id: String(run.taskId),
    task_name: run.taskName,
    scheduled_time: isoTime(run.scheduledTime),
    attempt: run.attempt,
    payload: run.payload,
  };
}
