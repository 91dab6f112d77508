import {
  EXEC_TYPES,
  type ExecType,
  EXECUTORS,
  type Executor,
  type HeaderValues,
  HTTP_METHODS,
  type HttpMethod,
} from '#domain';
import { HeadersField, TextField, WholeField, WordField } from '../../http/field.js';
import { ScheduleFields } from './schedule-fields.js';

export class TargetFields extends ScheduleFields {
  @WordField(EXECUTORS, { default: 'HTTP', description: 'Who does the work. SHELL only where it is enabled.' })
  executor?: Executor | null;

  @WordField(EXEC_TYPES, {
    default: 'SYNC',
    description: 'HTTP only: the reply is the result, or a callback closes the run.',
  })
  exec_type?: ExecType | null;

  @WordField(HTTP_METHODS, { default: 'POST' })
  http_method?: HttpMethod | null;

  @TextField(
    { max: 2048 },
    { description: 'Required for HTTP. Variables may stand in path and query.', example: 'https://example.com/hook' },
  )
  target_url?: string | null;

  @HeadersField({
    description:
      'Headers to send: an object, or a string holding one. Values may have variables. `{"secret": "…"}` marks a value as secret: ' +
      'it is stored encrypted and given back as `{"secret": true}`, which, sent again, keeps it. Names such as Authorization, ' +
      'Cookie, X-Api-Key, X-Auth-Token are secret without a mark.',
    example: { 'content-type': 'application/json' },
  })
  headers_json?: HeaderValues | null;

  @TextField(
    { max: 65_536, bytes: true },
    {
      description:
        'The body to send, with `{{run_id}} {{task_id}} {{task_name}} {{scheduled_time}} {{attempt}} {{callback_url}} ' +
        '{{callback_token}} {{payload}} {{payload.a.b}}` put in literally, escaped inside JSON.',
      example: '{"run_id":"{{run_id}}"}',
    },
  )
  body_template?: string | null;

  @TextField({ min: 1, max: 8192, bytes: true }, { description: 'SHELL only.', example: null })
  command?: string | null;

  @WholeField(1, 86_400, { default: 10, description: 'The time one attempt has.' })
  timeout_seconds?: number | null;
}
