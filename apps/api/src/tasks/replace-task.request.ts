import { WholeField } from '../http/field.js';
import { CreateTaskRequest } from './create-task.request.js';
import { MAX_INT } from './fields/limits.js';

/** The whole task: what is left out goes back to its default. */
export class ReplaceTaskRequest extends CreateTaskRequest {
  @WholeField(1, MAX_INT, { description: 'The version this change was made from.', example: 3 })
  version?: number | null;
}
