import { CATCH_UP_MODES, type CatchUpMode } from '#domain';
import { InstantField, TextField, WholeField, WordField } from '../../http/field.js';
import { MAX_INT } from './limits.js';
import { IdentityFields } from './identity-fields.js';

export class ScheduleFields extends IdentityFields {
  @TextField(
    { max: 1024 },
    {
      description:
        'When the task fires by itself: 5 or 6 fields (second first), `@daily` and the like, `@every 90s`, with an optional `CRON_TZ=`. ' +
        'Stored and given back in six fields, beside `cron_source` as written. Without it the task runs on demand.',
      example: '*/15 * * * * *',
    },
  )
  cron_expr?: string | null;

  @TextField({ min: 1, max: 64 }, { default: 'UTC', description: 'An IANA zone.', example: 'Europe/Berlin' })
  timezone?: string | null;

  @InstantField({ description: 'No ticks before.', example: '2026-01-01T00:00:00Z' })
  start_at?: string | null;

  @InstantField({ description: 'No ticks after.', example: '2027-01-01T00:00:00Z' })
  end_at?: string | null;

  @WholeField(0, 3600, { default: 0, description: 'Spreads the start; the same for the same task and tick.' })
  jitter_seconds?: number | null;

  @WordField(CATCH_UP_MODES, { default: 'NONE', description: 'What becomes of ticks missed while nothing scheduled.' })
  catch_up_mode?: CatchUpMode | null;

  @WholeField(1, 10_000, { default: 100, description: 'Most ticks FULL brings back, the newest.' })
  catch_up_limit?: number | null;

  @WholeField(1, MAX_INT, { description: 'A run that could not start within it is SKIPPED (LATE).', example: null })
  max_lateness_seconds?: number | null;
}
