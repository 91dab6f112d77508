import { RETRY_CAUSES, RETRY_STRATEGIES, type RetryStrategy } from '#domain';
import { type Check, whole, word } from '../../http/checks.js';
import { FractionField, ListField, WholeField, WordField } from '../../http/field.js';
import { THIRTY_DAYS } from './limits.js';

const cause: Check = (value) =>
  word(RETRY_CAUSES)(value) === null || whole(300, 599)(value) === null
    ? null
    : `must be one of ${RETRY_CAUSES.join(', ')} or a status code from 300 to 599`;

export class RetryPolicyFields {
  @WordField(RETRY_STRATEGIES, { required: true, example: 'exponential' })
  strategy: RetryStrategy;

  @WholeField(2, 100, { description: 'Executions in all, the first one included.', example: 5 })
  max_attempts?: number | null;

  @WholeField(0, THIRTY_DAYS, { description: 'fixed: every pause; exponential: the first one.', example: 2 })
  interval_seconds?: number | null;

  @ListField(
    { min: 1, max: 100 },
    whole(0, THIRTY_DAYS),
    { type: 'integer' },
    {
      description: 'sequence: the pauses one after the other; the last one repeats.',
      example: [1, 5, 30],
    },
  )
  sequence_seconds?: number[] | null;

  @WholeField(0, THIRTY_DAYS, { description: 'No pause is longer.', example: 60 })
  max_interval_seconds?: number | null;

  @FractionField(0, 1, { description: 'How much of each pause is random.', example: 0.1 })
  jitter?: number | null;

  @ListField(
    { max: 50 },
    cause,
    { oneOf: [{ type: 'string', enum: [...RETRY_CAUSES] }, { type: 'integer' }] },
    {
      description: 'What is tried again. Default: network, timeout, 5xx, 408, 425, 429.',
      example: ['network', '5xx', 429],
    },
  )
  retry_on?: (string | number)[] | null;
}
