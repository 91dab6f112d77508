import { type SecretBox, SecretUnavailable } from '#config';
import type { TaskSecrets } from '#database';
import { type HeaderValue, isSecretValue, mapHeaders, type Notify, type SealedKey } from '#domain';
import { headerContext, keyContext } from '#pipeline';

/** What was found in the tasks so far. */
export interface Findings {
  /** How many secrets each key seals. */
  byKey: Map<string, number>;
  /** Headers that are secret by their name and lie there as they are. */
  unsealed: number;
  /** Secrets that cannot be opened here, and why. */
  lost: { taskId: bigint; reason: string }[];
}

export const noFindings = (): Findings => ({ byKey: new Map(), unsealed: 0, lost: [] });

/** The task with everything sealed by the first key; null when it is so already, or nothing can be done about it. */
export function reseal(task: TaskSecrets, secrets: SecretBox, findings: Findings): TaskSecrets | null {
  const work = new Resealing(task, secrets, findings);
  const headers = task.headers && mapHeaders(task.headers, (name, value) => work.header(name, value));
  const notify = task.notify && work.notify(task.notify);
  return work.changed ? { ...task, headers, notify } : null;
}

class Resealing {
  changed = false;

  constructor(
    private readonly task: TaskSecrets,
    private readonly secrets: SecretBox,
    private readonly findings: Findings,
  ) {}

  header(name: string, value: HeaderValue): HeaderValue {
    const context = headerContext(this.task.tenantId, name);
    if (typeof value === 'object') return 'sealed' in value ? { sealed: this.text(value.sealed, context) } : value;
    if (!isSecretValue(name, value)) return value;
    this.findings.unsealed += 1;
    this.changed = true;
    return { sealed: this.secrets.seal(value, context) };
  }

  notify(notify: Notify): Notify {
    const { security } = notify;
    if (!security?.sealed) return notify;
    return { ...notify, security: { ...security, sealed: security.sealed.map((key) => this.key(key)) } };
  }

  private key({ key, ...until }: SealedKey): SealedKey {
    return { key: this.text(key, keyContext(this.task.tenantId)), ...until };
  }

  /** Opened even if it need not be: one that cannot be is to be told of. */
  private text(sealed: string, context: string): string {
    const { byKey, lost } = this.findings;
    const id = this.secrets.keyOf(sealed);
    byKey.set(id, (byKey.get(id) ?? 0) + 1);
    try {
      const secret = this.secrets.open(sealed, context);
      if (id === this.secrets.firstKey) return sealed;
      this.changed = true;
      return this.secrets.seal(secret, context);
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error;
      lost.push({ taskId: this.task.id, reason: error.message });
      return sealed;
    }
  }
}
