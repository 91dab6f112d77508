import { RUN_STATUSES, RUN_TRIGGERS, type RunStatus, type RunTrigger } from '#domain';
import { FlagField, InstantField, TextField, WordField } from '../http/field.js';
import { FlagFromText, ListQuery } from '../http/list.query.js';

export class TaskRunsQuery extends ListQuery {
  @WordField(RUN_STATUSES)
  status?: RunStatus;

  @WordField(RUN_TRIGGERS)
  trigger?: RunTrigger;

  @TextField({ min: 1, max: 128 })
  category?: string;

  @TextField({ min: 1, max: 128 })
  creator?: string;

  @InstantField({ description: 'Scheduled at this time or later.' })
  from?: string;

  @InstantField({ description: 'Scheduled at this time or earlier.' })
  to?: string;

  @FlagFromText()
  @FlagField({
    default: false,
    description: 'Runs in the archive instead: SUCCESS and MANUALLY_PROCESSED ones, some time after their end.',
  })
  archived?: boolean;
}

export class ListRunsQuery extends TaskRunsQuery {
  @TextField({ min: 1, max: 20 }, { description: 'Runs of this task, also of a deleted one.', example: '42' })
  task_id?: string;
}
