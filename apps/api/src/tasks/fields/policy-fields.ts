import {
  CONCURRENCY_POLICIES,
  type ConcurrencyPolicy,
  FAILURE_ACTIONS,
  type FailureAction,
  OVERLAP_ACTIONS,
  type OverlapAction,
} from '#domain';
import { ObjectField, WholeField, WordField } from '../../http/field.js';
import { MAX_INT } from './limits.js';
import { RetryPolicyFields } from './retry-policy.js';
import { TargetFields } from './target-fields.js';

export class PolicyFields extends TargetFields {
  @ObjectField(() => RetryPolicyFields, { orText: true, default: { strategy: 'none' } })
  retry_policy_json?: RetryPolicyFields | null;

  @WholeField(0, MAX_INT, { default: 1, description: 'Runs at a time; 0 is no limit.' })
  max_concurrency?: number | null;

  @WordField(CONCURRENCY_POLICIES, { default: 'QUEUE', description: 'What happens to a run above the limit.' })
  concurrency_policy?: ConcurrencyPolicy | null;

  @WholeField(0, MAX_INT, { default: 1000, description: 'Most runs waiting under QUEUE.' })
  queue_limit?: number | null;

  @WordField(OVERLAP_ACTIONS, { default: 'ALLOW', description: 'What happens when an earlier run is unfinished.' })
  overlap_action?: OverlapAction | null;

  @WordField(FAILURE_ACTIONS, { default: 'RUN_NEW', description: 'What happens when the last run failed.' })
  failure_action?: FailureAction | null;

  @WholeField(0, 9, { default: 0, description: 'Higher first.' })
  priority?: number | null;
}
