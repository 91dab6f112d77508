import { checkTargetUrl } from '../http/index.js';
import type { Notify } from './definition.js';
import type { FieldProblem } from './errors.js';

export function notifyProblems(notify: Notify | null): FieldProblem[] {
  if (notify === null) return [];
  return [
    ...(['success', 'error'] as const).flatMap((kind) => urlProblems(notify[kind]?.url, `notify.${kind}.url`)),
    ...securityProblems(notify.security),
  ];
}

function urlProblems(url: string | undefined, field: string): FieldProblem[] {
  const message = url === undefined ? null : checkTargetUrl(url);
  return message === null ? [] : [{ field, message }];
}

function securityProblems(security: Notify['security']): FieldProblem[] {
  if (security?.type !== 'aksk') return [];
  const found: FieldProblem[] = [];
  if (!security.ak) found.push({ field: 'notify.security.ak', message: 'is required with aksk' });
  if (!security.sk && !security.sealed) found.push({ field: 'notify.security.sk', message: 'is required with aksk' });
  return found;
}

/**
 * The secret key cannot be read back, so a change that leaves it out (for the same access key) keeps the stored ones. With
 * a new one they stay as well, for the old one to sign beside it for a while.
 */
export function keepSecretKey(stored: Notify | null, given: Notify | null): Notify | null {
  const [before, after] = [stored?.security, given?.security];
  if (!given || !before?.sealed || after?.type !== 'aksk') return given;
  return after.ak === undefined || after.ak === before.ak
    ? { ...given, security: { ...after, ak: before.ak, sealed: before.sealed } }
    : given;
}
