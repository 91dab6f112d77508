import { TextField, WholeField } from '../http/field.js';
import { MAX_INT } from './fields/limits.js';
import { NAME, TaskFields } from './fields/task-fields.js';

/** A field given replaces the stored one as a whole, null brings back its default, what is left out stays. */
export class PatchTaskRequest extends TaskFields {
  @TextField(NAME, { notNull: true, example: 'sync_stats' })
  name?: string;

  @WholeField(1, MAX_INT, { description: 'The version this change was made from.', example: 3 })
  version?: number | null;
}
