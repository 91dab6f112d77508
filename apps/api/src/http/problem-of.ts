import { HttpException } from '@nestjs/common';
import { faultOf } from '#database';
import {
  BadCallbackToken,
  Forbidden,
  IdempotencyKeyReused,
  InvalidInput,
  NameTaken,
  NoFreeSlot,
  NotFound,
  OtherOutcome,
  StaleExecution,
  StaleVersion,
  TaskOfRunDeleted,
  TooMany,
  Unauthenticated,
  WrongCallbackMethod,
  WrongState,
} from '#domain';
import type { Problem } from './problem.js';

/** A part the request needs is away or not up yet. */
export class Unavailable extends Error {}

const RETRY_AFTER_SECONDS = 5;

/** The one place that knows which HTTP status a thing that happened has. */
export function problemOf(error: unknown): Problem {
  if (error instanceof InvalidInput) {
    return { status: 422, slug: 'invalid', detail: invalidDetail(error), errors: error.problems };
  }
  if (error instanceof NotFound) return { status: 404, slug: 'not-found', detail: error.message };
  if (error instanceof NameTaken) {
    const errors = [{ field: 'name', message: 'is already taken' }];
    return { status: 409, slug: 'name-taken', detail: error.message, errors };
  }
  if (error instanceof StaleVersion) {
    const errors = [{ field: 'version', message: `the current version is ${error.current}` }];
    return { status: 409, slug: 'stale-version', detail: error.message, errors };
  }
  if (error instanceof WrongState) return { status: 409, slug: 'wrong-state', detail: error.message };
  if (error instanceof StaleExecution) return { status: 409, slug: 'stale-execution', detail: error.message };
  if (error instanceof IdempotencyKeyReused) {
    return { status: 409, slug: 'idempotency-key-reused', detail: error.message };
  }
  if (error instanceof TaskOfRunDeleted) return { status: 409, slug: 'task-deleted', detail: error.message };
  if (error instanceof BadCallbackToken) {
    const headers = { 'www-authenticate': 'Bearer realm="callbacks"' };
    return { status: 401, slug: 'bad-token', detail: error.message, headers };
  }
  if (error instanceof WrongCallbackMethod) {
    return { status: 405, slug: 'method-not-allowed', detail: error.message, headers: { allow: error.allowed } };
  }
  if (error instanceof OtherOutcome) return { status: 409, slug: 'other-outcome', detail: error.message };
  if (error instanceof NoFreeSlot) {
    return { status: 409, slug: 'no-free-slot', detail: error.message, retryAfterSeconds: RETRY_AFTER_SECONDS };
  }
  const refusal = accessProblem(error);
  if (refusal !== null) return refusal;
  if (error instanceof Unavailable) return unavailable(error.message);
  return frameworkProblem(error) ?? databaseProblem(error);
}

/** Who it is, what they may, and how much of it. */
function accessProblem(error: unknown): Problem | null {
  if (error instanceof Unauthenticated) {
    const challenge = `Bearer realm="punctual"${error.wasTried ? ', error="invalid_token"' : ''}`;
    return { status: 401, slug: 'unauthenticated', detail: error.message, headers: { 'www-authenticate': challenge } };
  }
  if (error instanceof Forbidden) return { status: 403, slug: 'forbidden', detail: error.message };
  if (error instanceof TooMany) {
    const { kind: slug, message: detail, retryAfterSeconds } = error;
    return { status: 429, slug, detail, retryAfterSeconds };
  }
  return null;
}

function invalidDetail({ problems }: InvalidInput): string {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${first.field}: ${first.message}${more}`;
}

function unavailable(detail: string): Problem {
  return { status: 503, slug: 'unavailable', detail, retryAfterSeconds: RETRY_AFTER_SECONDS };
}

const BY_STATUS: Record<number, { slug: string; detail: string }> = {
  400: { slug: 'malformed', detail: 'the request could not be read' },
  404: { slug: 'not-found', detail: 'there is nothing at this address' },
  405: { slug: 'method-not-allowed', detail: 'this method is not supported here' },
  408: { slug: 'request-timeout', detail: 'the request took too long to arrive' },
  413: { slug: 'too-large', detail: 'the request body is too large' },
  414: { slug: 'uri-too-long', detail: 'the address is too long' },
  415: {
    slug: 'unsupported-media-type',
    detail: 'send JSON in UTF-8, not compressed, with content-type application/json',
  },
  431: { slug: 'headers-too-large', detail: 'the request headers are too large' },
};

const BY_CODE: Record<string, string> = {
  BODY_NOT_UTF8: 'the body is not valid UTF-8',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as content-length says',
  FST_ERR_BAD_URL: 'the address is not validly encoded',
};

/** What the framework itself refuses; its own texts show its insides, so they are told in ours. */
function frameworkProblem(error: unknown): Problem | null {
  const { statusCode, code } = error as { statusCode?: unknown; code?: unknown };
  const status = error instanceof HttpException ? error.getStatus() : statusCode;
  if (typeof status !== 'number' || status < 400 || status > 499) return null;
  const known = BY_STATUS[status] ?? { slug: 'refused', detail: 'the request was refused' };
  const malformed = error instanceof SyntaxError ? 'the body is not valid JSON' : undefined;
  return { status, ...known, detail: malformed ?? BY_CODE[String(code)] ?? known.detail };
}

function databaseProblem(error: unknown): Problem {
  const fault = faultOf(error);
  if (fault === 'away') return unavailable('the database is away');
  if (fault === 'retry') return unavailable('the database is too busy');
  return { status: 500, slug: 'internal', detail: 'something went wrong here; the trace id finds it in the logs' };
}
