import { AnyField, InstantField, TextField, WholeField } from '../http/field.js';

export class TriggerRunRequest {
  static readonly mayBeEmpty = true;

  @AnyField({ description: 'Any JSON; `{{payload}}` in the task’s templates.', example: { month: '2026-01' } })
  payload?: unknown;

  @InstantField({ description: 'Not before this time. Default: now.', example: '2027-01-01T00:00:00Z' })
  start_time?: string | null;

  @WholeField(0, 9, { description: 'Instead of the task’s.' })
  priority?: number | null;

  @TextField({ min: 1, max: 128, label: true }, { description: 'Who asked for it.', example: 'team-billing' })
  creator?: string | null;

  @WholeField(1, 86_400, { description: 'Instead of the task’s timeout_seconds.' })
  attempt_timeout_seconds?: number | null;
}
