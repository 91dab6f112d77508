import { RunFields } from './run-fields.js';

export class TriggerRunRequest extends RunFields {
  static readonly mayBeEmpty = true;
}
