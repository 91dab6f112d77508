import { TextField } from '../http/field.js';

/** Who decides. With a key it is the key's name, whatever is said here. */
export class HandlingFields {
  @TextField(
    { min: 1, max: 128, label: true },
    { description: 'Who decides this, where no key says so.', example: 'kim@example.com' },
  )
  by?: string | null;
}
