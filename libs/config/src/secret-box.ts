import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

/** A key of the deployment. A KeyObject shows its bytes to no log and no JSON. */
export interface SecretKey {
  id: string;
  key: KeyObject;
}

/** What was sealed cannot be opened here, or nothing can be sealed; the message says what to set. */
export class SecretUnavailable extends Error {}

const VERSION = 'v1';
const ALGORITHM = 'aes-256-gcm';
const [IV_BYTES, TAG_BYTES] = [12, 16];

/**
 * Seals what must not lie in the database as it is: AES-256-GCM, `v1.<key id>.<base64url of IV, ciphertext and tag>`. The first
 * key seals, all of them open, so that keys can be changed one process at a time. `context` says what the secret is for and is
 * authenticated with it: a sealed text that was moved elsewhere does not open.
 */
export class SecretBox {
  constructor(private readonly keys: readonly SecretKey[]) {}

  get canSeal(): boolean {
    return this.keys.length > 0;
  }

  /** The name of the key that seals. */
  get firstKey(): string | null {
    return this.keys[0]?.id ?? null;
  }

  /** The name of the key that a text was sealed with. */
  keyOf(sealed: string): string {
    return sealed.split('.', 2)[1] ?? '';
  }

  seal(secret: string, context: string): string {
    const [first] = this.keys;
    if (first === undefined) throw new SecretUnavailable('SECRET_KEYS is not set, so that no secret can be kept');
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, first.key, iv).setAAD(aad(first.id, context));
    const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${first.id}.${sealed.toString('base64url')}`;
  }

  open(sealed: string, context: string): string {
    const [version, id, data] = sealed.split('.', 3);
    const found = this.keys.find((key) => key.id === id);
    if (version !== VERSION || found === undefined) {
      throw new SecretUnavailable(
        `a secret was sealed with key "${id ?? ''}", which SECRET_KEYS of this process does not have`,
      );
    }
    const bytes = Buffer.from(data ?? '', 'base64url');
    try {
      const decipher = createDecipheriv(ALGORITHM, found.key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(aad(id, context)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const opened = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8');
      return opened + decipher.final('utf8');
    } catch {
      throw new SecretUnavailable(
        `a secret does not open with key "${id}": another key had that name, or the row was changed`,
      );
    }
  }
}

const aad = (id: string, context: string): Buffer => Buffer.from(`${VERSION}.${id}.${context}`);
