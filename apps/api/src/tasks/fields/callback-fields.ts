import {
  CALLBACK_METHODS,
  type CallbackMethod,
  LATE_POLICIES,
  type LatePolicy,
  ON_NODE_LOST,
  type OnNodeLost,
} from '#domain';
import { FlagField, ObjectField, WholeField, WordField } from '../../http/field.js';
import { THIRTY_DAYS } from './limits.js';
import { NotifyFields } from './notify.js';
import { PolicyFields } from './policy-fields.js';

export class CallbackFields extends PolicyFields {
  @WordField(CALLBACK_METHODS, { default: 'POST', description: 'ASYNC: how the callback arrives.' })
  callback_method?: CallbackMethod | null;

  @WholeField(1, THIRTY_DAYS, { default: 3600, description: 'ASYNC: the time until the callback must be there.' })
  callback_timeout_sec?: number | null;

  @WholeField(1, THIRTY_DAYS, { description: 'ASYNC and AGENT: the time between two signs of life.', example: null })
  heartbeat_timeout_sec?: number | null;

  @WordField(LATE_POLICIES, { default: 'RECORD', description: 'What a callback after the end does.' })
  late_policy?: LatePolicy | null;

  @FlagField({ default: false, description: 'When attempts run out: PENDING, for a person, instead of FAILED.' })
  need_manual?: boolean | null;

  @WordField(ON_NODE_LOST, {
    default: 'RETRY',
    description:
      'When the worker or agent that executes a run is lost: the next attempt, if one is left; or FAIL, for what must not run twice.',
  })
  on_node_lost?: OnNodeLost | null;

  @ObjectField(() => NotifyFields, { description: 'Who is told about the end of a run.' })
  notify?: NotifyFields | null;
}
