import { AnyField, TextField } from '../http/field.js';
import { HandlingFields } from './handling-fields.js';

export class RetryRunRequest extends HandlingFields {
  static readonly mayBeEmpty = true;

  @TextField(
    { min: 1, max: 2000 },
    { description: 'Why it is worth another try.', example: 'account number corrected' },
  )
  remark?: string | null;

  @AnyField({ description: 'Any JSON: the payload from now on, instead of the one the run has.' })
  payload?: unknown;
}
