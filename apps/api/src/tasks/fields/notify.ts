import { NOTIFY_METHODS, NOTIFY_SECURITY_TYPES, type NotifyMethod, type NotifySecurityType } from '#domain';
import { FlagField, ObjectField, TextField, WordField } from '../../http/field.js';

export class NotifyTargetFields {
  @TextField({ min: 1, max: 2048 }, { required: true, example: 'https://example.com/done' })
  url: string;

  @WordField(NOTIFY_METHODS, { default: 'POST' })
  method?: NotifyMethod | null;
}

export class NotifySecurityFields {
  @WordField(NOTIFY_SECURITY_TYPES, { required: true, example: 'aksk' })
  type: NotifySecurityType;

  @TextField({ min: 1, max: 128, label: true }, { description: 'The access key.', example: 'billing' })
  ak?: string | null;

  @TextField(
    { min: 1, max: 256 },
    {
      writeOnly: true,
      description:
        'The secret key. Never given back; a change that leaves it out keeps it. One that is replaced goes on signing beside the new one for a day.',
    },
  )
  sk?: string | null;

  @FlagField({ description: 'Whether there is a secret key. Told, never taken: what is sent is ignored.' })
  has_sk?: boolean | null;
}

export class NotifyFields {
  @ObjectField(() => NotifyTargetFields)
  success?: NotifyTargetFields | null;

  @ObjectField(() => NotifyTargetFields)
  error?: NotifyTargetFields | null;

  @ObjectField(() => NotifySecurityFields)
  security?: NotifySecurityFields | null;
}
