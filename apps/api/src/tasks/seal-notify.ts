import { type SecretBox, SecretUnavailable } from '#config';
import { InvalidInput, type NotifySecurity, rotated, type SealedKey, type TaskDefinition } from '#domain';
import { keyContext } from '#pipeline';

export interface Sealing {
  secrets: SecretBox;
  tenantId: string;
  /** Epoch milliseconds. */
  now: number;
}

/** The task with its secret key sealed, and while a new one takes over, the old one beside it. */
export function sealNotify(task: TaskDefinition, sealing: Sealing): TaskDefinition {
  const { notify } = task;
  if (!notify?.security) return task;
  return { ...task, notify: { ...notify, security: sealSecurity(notify.security, sealing) } };
}

function sealSecurity({ type, ak, sk, sealed }: NotifySecurity, sealing: Sealing): NotifySecurity {
  const named = { type, ...(ak === undefined ? {} : { ak }) };
  if (type !== 'aksk') return named;
  return { ...named, sealed: sk === undefined ? sealed : withKey(sealed ?? [], sk, sealing) };
}

function withKey(sealed: SealedKey[], sk: string, { secrets, tenantId, now }: Sealing): SealedKey[] {
  if (!secrets.canSeal) throw new InvalidInput([{ field: 'notify.security.sk', message: NO_KEYS }]);
  const context = keyContext(tenantId);
  const current = sealed.length === 0 ? null : opened(sealed[0].key, context, secrets);
  if (current === sk) return sealed;
  // One that cannot be opened could not sign, either.
  return rotated(current === null ? [] : sealed, secrets.seal(sk, context), now);
}

export const NO_KEYS =
  'cannot be kept, since this deployment has no key to encrypt it with: set SECRET_KEYS for the API and the workers';

function opened(key: string, context: string, secrets: SecretBox): string | null {
  try {
    return secrets.open(key, context);
  } catch (error) {
    if (error instanceof SecretUnavailable) return null;
    throw error;
  }
}
