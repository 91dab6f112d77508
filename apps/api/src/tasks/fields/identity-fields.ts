import { type LogMode, LOG_MODES, TASK_STATUSES, type TaskStatus } from '#domain';
import { text } from '../../http/checks.js';
import { ListField, TextField, WordField } from '../../http/field.js';

const LOG_MODE =
  'How much is kept of a run, whose own row always stays. `trans_log`: every attempt with request and response. `trigger_log`: attempts without headers, bodies and result. `none`: nothing of what succeeded, everything of what failed.';
const tag = text({ min: 1, max: 64, label: true });

export class IdentityFields {
  @TextField({ max: 512 }, { description: 'For people.', example: 'Copies the figures of the day' })
  description?: string | null;

  @TextField({ min: 1, max: 128, label: true }, { description: 'A filter; agents claim by it.', example: 'reports' })
  category?: string | null;

  @ListField({ max: 20 }, tag, { type: 'string', minLength: 1, maxLength: 64 }, { example: ['nightly', 'billing'] })
  tags?: string[] | null;

  @TextField({ min: 1, max: 128, label: true }, { description: 'Who made it.', example: 'team-billing' })
  creator?: string | null;

  @WordField(LOG_MODES, { default: 'trans_log', description: LOG_MODE })
  log_mode?: LogMode | null;

  @WordField(TASK_STATUSES, { default: 'ENABLED', description: 'A disabled task has nothing planned.' })
  status?: TaskStatus | null;
}
