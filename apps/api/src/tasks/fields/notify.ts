import { HTTP_METHODS, type HttpMethod, NOTIFY_SECURITY_TYPES, type NotifySecurityType } from '#domain';
import { ObjectField, TextField, WordField } from '../../http/field.js';

export class NotifyTargetFields {
  @TextField({ min: 1, max: 2048 }, { required: true, example: 'https://example.com/done' })
  url: string;

  @WordField(HTTP_METHODS, { default: 'POST' })
  method?: HttpMethod | null;
}

export class NotifySecurityFields {
  @WordField(NOTIFY_SECURITY_TYPES, { required: true, example: 'aksk' })
  type: NotifySecurityType;

  @TextField({ min: 1, max: 128, label: true }, { description: 'The access key.', example: 'billing' })
  ak?: string | null;

  @TextField(
    { min: 1, max: 256 },
    { writeOnly: true, description: 'The secret key. Never given back; a change that leaves it out keeps it.' },
  )
  sk?: string | null;
}

export class NotifyFields {
  @ObjectField(() => NotifyTargetFields)
  success?: NotifyTargetFields | null;

  @ObjectField(() => NotifyTargetFields)
  error?: NotifyTargetFields | null;

  @ObjectField(() => NotifySecurityFields)
  security?: NotifySecurityFields | null;
}
