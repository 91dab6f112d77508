import { TextField } from '../http/field.js';
import { NAME, TaskFields } from './fields/task-fields.js';

export class CreateTaskRequest extends TaskFields {
  @TextField(NAME, { required: true, description: 'Unique among the live tasks.', example: 'sync_stats' })
  name: string;
}
