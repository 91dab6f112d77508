import { InstantField, TextField } from '../http/field.js';
import { ListQuery } from '../http/list.query.js';

export class ListAuditQuery extends ListQuery {
  @TextField({ min: 1, max: 128 }, { description: 'The name of the key that was used.', example: 'billing service' })
  by?: string;

  @TextField({ min: 1, max: 32 }, { example: 'task.patch' })
  action?: string;

  @TextField({ min: 1, max: 16 }, { description: 'What it was done to: `task`, `run`, …', example: 'task' })
  entity?: string;

  @TextField({ min: 1, max: 64 }, { description: 'Which one of them.', example: '42' })
  entity_id?: string;

  @InstantField({ description: 'At this time or later.' })
  from?: string;

  @InstantField({ description: 'At this time or earlier.' })
  to?: string;
}
