import { AnyField } from '../http/field.js';

export class HeartbeatRequest {
  static readonly mayBeEmpty = true;

  @AnyField({
    description: 'Any JSON of up to 16 KiB, shown on the run; left out, the last one stays.',
    example: { done: 40 },
  })
  progress?: unknown;
}
