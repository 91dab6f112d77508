import { FlagField, TextField, WholeField } from '../http/field.js';
import { THIRTY_DAYS } from '../tasks/fields/limits.js';
import { ExecutionRequest } from './execution.request.js';

export class FailRequest extends ExecutionRequest {
  @TextField({ max: 16_384 }, { description: 'What went wrong, for people.', example: 'out of memory' })
  error_info?: string | null;

  @TextField({ min: 1, max: 64, label: true }, { description: 'The same for programs.', example: 'OUT_OF_MEMORY' })
  error_code?: string | null;

  @FlagField({ default: true, description: 'Whether another attempt may help. It counts instead of `retry_on`.' })
  retryable?: boolean | null;

  @WholeField(0, THIRTY_DAYS, { description: 'Not before; at most the retry policy’s longest pause.', example: null })
  retry_after_seconds?: number | null;
}
