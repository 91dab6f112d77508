import type { SecretBox } from '#config';
import { type HeaderValues, isSecretValue } from '#domain';

/** What the value of a header was sealed for. */
export const headerContext = (tenantId: string, name: string): string => `${tenantId}/header.${name.toLowerCase()}`;

export interface OpenHeader {
  name: string;
  value: string;
  isSecret: boolean;
}

/** A task's headers as they are to be sent. Throws SecretUnavailable. */
export function openHeaders(headers: HeaderValues, tenantId: string, secrets: SecretBox): OpenHeader[] {
  return Object.entries(headers).map(([given, value]) => {
    const name = given.toLowerCase();
    const isSecret = isSecretValue(name, value);
    if (typeof value === 'string') return { name, value, isSecret };
    const sealed = 'sealed' in value ? value.sealed : '';
    return { name, value: secrets.open(sealed, headerContext(tenantId, name)), isSecret };
  });
}
