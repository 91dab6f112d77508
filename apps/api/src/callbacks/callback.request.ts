import { CALLBACK_OUTCOMES, type CallbackOutcome, type CallbackSaid } from '#domain';
import { AnyField, FlagField, TextField, WholeField, WordField } from '../http/field.js';
import { THIRTY_DAYS } from '../tasks/fields/limits.js';

export class CallbackBody {
  @WordField(CALLBACK_OUTCOMES, { required: true, description: 'How the work ended.' })
  status: CallbackOutcome;

  @AnyField({ description: 'Any JSON: what is kept as the run’s result.', example: { rows: 1204 } })
  result?: unknown;

  @TextField({ max: 16_384 }, { description: 'FAILURE: what went wrong; shown as the run’s `error_info`.' })
  error_info?: string | null;

  @FlagField({ default: true, description: 'FAILURE: false rules out another attempt.' })
  retryable?: boolean | null;

  @WholeField(0, THIRTY_DAYS, { description: 'FAILURE: not before that; the retry policy’s ceiling holds.' })
  retry_after_seconds?: number | null;
}

export const saidIn = (body: CallbackBody): CallbackSaid => ({
  status: body.status,
  result: body.result ?? undefined,
  errorInfo: body.error_info ?? undefined,
  retryable: body.retryable ?? undefined,
  retryAfterSeconds: body.retry_after_seconds ?? undefined,
});
