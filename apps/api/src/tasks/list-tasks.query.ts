import { TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from '#domain';
import { TextField, WordField } from '../http/field.js';
import { ListQuery } from '../http/list.query.js';

export class ListTasksQuery extends ListQuery {
  @WordField(TASK_STATUSES)
  status?: TaskStatus;

  @TextField({ min: 1, max: 128 })
  category?: string;

  @TextField({ min: 1, max: 64 }, { description: 'Tasks that have this tag.' })
  tag?: string;

  @TextField({ min: 1, max: 128 }, { description: 'Tasks whose name starts with this, letter by letter.' })
  name?: string;

  @WordField(TASK_TYPES)
  type?: TaskType;
}
