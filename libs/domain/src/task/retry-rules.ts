import type { FieldProblem } from './errors.js';
import type { RetryPolicy } from './retry-policy.js';

/** What `retry_on` may name beside status codes. */
export const RETRY_CAUSES = ['network', 'timeout', '5xx', '4xx'] as const;

/** What each strategy needs said. */
export function retryPolicyProblems(policy: RetryPolicy): FieldProblem[] {
  if (policy.strategy === 'none') return [];
  const problem = (name: keyof RetryPolicy, message: string) => ({ field: `retry_policy_json.${name}`, message });
  const found: FieldProblem[] = [];
  if (policy.max_attempts === undefined) found.push(problem('max_attempts', `is required with ${policy.strategy}`));
  if (policy.strategy === 'sequence' && !policy.sequence_seconds?.length) {
    found.push(problem('sequence_seconds', 'needs at least one entry with sequence'));
  }
  if (policy.strategy !== 'sequence' && policy.interval_seconds === undefined) {
    found.push(problem('interval_seconds', `is required with ${policy.strategy}`));
  }
  if ((policy.max_interval_seconds ?? Infinity) < (policy.interval_seconds ?? 0)) {
    found.push(problem('max_interval_seconds', 'must not be less than interval_seconds'));
  }
  return found;
}
