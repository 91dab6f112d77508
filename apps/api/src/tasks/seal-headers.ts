import { type HeaderValue, InvalidInput, isSecretValue, mapHeaders, type TaskDefinition } from '#domain';
import { headerContext } from '#pipeline';
import { NO_KEYS, type Sealing, sealNotify } from './seal-notify.js';

/** The task as it may be stored: nothing in it that is secret can be read there. */
export function sealSecrets(task: TaskDefinition, sealing: Sealing): TaskDefinition {
  return sealHeaders(sealNotify(task, sealing), sealing);
}

function sealHeaders(task: TaskDefinition, sealing: Sealing): TaskDefinition {
  if (task.headersJson === null) return task;
  return { ...task, headersJson: mapHeaders(task.headersJson, (name, value) => sealValue(name, value, sealing)) };
}

function sealValue(name: string, value: HeaderValue, { secrets, tenantId }: Sealing): HeaderValue {
  const text = textOf(name, value);
  if (text === null) return value;
  if (secrets.canSeal) return { sealed: secrets.seal(text, headerContext(tenantId, name)) };
  // Secret by its name alone: without a key it is kept as it always was, and shown to nobody all the same.
  if (typeof value === 'string') return value;
  throw new InvalidInput([{ field: `headers_json.${name.slice(0, 64)}`, message: NO_KEYS }]);
}

/** What is to be sealed; null where there is nothing. */
function textOf(name: string, value: HeaderValue): string | null {
  if (!isSecretValue(name, value)) return null;
  if (typeof value === 'string') return value;
  return 'secret' in value && value.secret !== true ? value.secret : null;
}
