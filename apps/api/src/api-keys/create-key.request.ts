import { type Role, ROLES } from '#domain';
import { InstantField, TextField, WordField } from '../http/field.js';

export class CreateKeyRequest {
  @TextField(
    { min: 1, max: 128, label: true },
    { required: true, description: 'Whose it is, or what for; stands in the audit log.', example: 'billing service' },
  )
  name: string;

  @WordField(ROLES, { required: true, description: 'What it may do; each role may do what those before it may.' })
  role: Role;

  @InstantField({
    description: 'From when on it is not good any more. Default: never.',
    example: '2027-01-01T00:00:00Z',
  })
  expires_at?: string | null;

  @TextField(
    { min: 1, max: 64 },
    { description: 'Default: your own. Another one, or `*`, needs a key of the whole deployment.', example: 'default' },
  )
  tenant?: string | null;
}
