import { AnyField, TextField } from '../http/field.js';
import { HandlingFields } from './handling-fields.js';

export class ResolveRunRequest extends HandlingFields {
  @TextField({ min: 1, max: 2000 }, { required: true, description: 'What was done about it.', example: 'paid by hand' })
  remark: string;

  @AnyField({ description: 'Any JSON: the result, instead of what the last attempt left.', example: { paid: true } })
  result?: unknown;
}
