import { TextField } from '../http/field.js';

export class ExecutionRequest {
  @TextField({ min: 1, max: 36 }, { required: true, description: 'The `exec_id` the run was claimed under.' })
  exec_id: string;
}
