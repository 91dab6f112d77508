import { TextField } from '../http/field.js';

export class CancelRunRequest {
  static readonly mayBeEmpty = true;

  @TextField(
    { min: 1, max: 512 },
    { description: 'Why; shown as the run’s `error_info`.', example: 'started by mistake' },
  )
  reason?: string | null;
}
