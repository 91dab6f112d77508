import { InstantField, TextField, WholeField } from '../http/field.js';

export const DEFAULT_COUNT = 10;
export const MAX_COUNT = 1000;

export class PreviewRequest {
  @TextField({ max: 1024 }, { required: true, example: '30 2 * * *' })
  cron_expr: string;

  @TextField({ min: 1, max: 64 }, { default: 'UTC', example: 'Europe/Berlin' })
  timezone?: string | null;

  @InstantField({ description: 'Fires after this time. Default: now.', example: '2026-03-28T00:00:00Z' })
  from?: string | null;

  @WholeField(1, MAX_COUNT, { default: DEFAULT_COUNT })
  count?: number | null;
}
