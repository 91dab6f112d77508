import { SKIP_REASONS } from '#domain';

/** Codes of our own. Agents may report any code they like, and a label must not have any value there is. */
const KNOWN = new Set<string>([
  ...SKIP_REASONS,
  ...['NETWORK', 'TIMEOUT', 'REDIRECT', 'ADDRESS_BLOCKED', 'INVALID_REQUEST', 'INVALID_TASK', 'UNSUPPORTED'],
  ...['TASK_GONE', 'TASK_DELETED', 'NODE_LOST', 'COMMAND_NOT_STARTED', 'CANCELED', 'REPLACED', 'BACKFILL_CANCELED'],
  ...['CALLBACK_FAILURE', 'CALLBACK_TIMEOUT', 'HEARTBEAT_TIMEOUT', 'LATE_CALLBACK'],
  ...['AGENT_FAILED', 'AGENT_GONE', 'LEASE_EXPIRED'],
]);

/** Why a run is what it is, in one of a few words: empty where all went well, `HTTP_5XX` for any such answer. */
export function reasonOf(code: string | null): string {
  if (code === null || code === '') return '';
  if (KNOWN.has(code)) return code;
  const httpClass = /^HTTP_(\d)\d\d$/.exec(code)?.[1];
  if (httpClass !== undefined) return `HTTP_${httpClass}XX`;
  return /^(EXIT|SIGNAL)_\w+$/.exec(code)?.[1] ?? 'OTHER';
}
