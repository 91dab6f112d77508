import { TextField } from '../http/field.js';
import { RunFields } from '../runs/run-fields.js';

export class JobRequest extends RunFields {
  @TextField(
    { min: 1, max: 128, label: true },
    { required: true, description: 'The name of a task.', example: 'send_invoice' },
  )
  type: string;
}
