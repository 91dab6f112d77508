import { AnyField } from '../http/field.js';
import { ExecutionRequest } from './execution.request.js';

export class AgentHeartbeatRequest extends ExecutionRequest {
  @AnyField({
    description: 'Any JSON of up to 16 KiB, shown as the run’s `progress`; left out, the last one stays.',
    example: { percent: 40 },
  })
  progress?: unknown;
}
