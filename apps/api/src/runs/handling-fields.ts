import { TextField } from '../http/field.js';

/** Who decides. Until requests are authenticated, it is what they say. */
export class HandlingFields {
  @TextField({ min: 1, max: 128, label: true }, { description: 'Who decides this.', example: 'kim@example.com' })
  by?: string | null;
}
