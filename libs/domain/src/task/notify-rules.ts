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
  return (['ak', 'sk'] as const)
    .filter((key) => !security[key])
    .map((key) => ({ field: `notify.security.${key}`, message: 'is required with aksk' }));
}

/** The secret key cannot be read back, so a change that leaves it out (for the same access key) keeps the stored one. */
export function keepSecretKey(stored: Notify | null, given: Notify | null): Notify | null {
  const [before, after] = [stored?.security, given?.security];
  if (!given || !before?.sk || after?.type !== 'aksk' || after.sk !== undefined) return given;
  return after.ak === undefined || after.ak === before.ak
    ? { ...given, security: { ...after, ak: before.ak, sk: before.sk } }
    : given;
}
