import { AnyField } from '../http/field.js';
import { ExecutionRequest } from './execution.request.js';

export class HeartbeatRequest extends ExecutionRequest {
  @AnyField({ description: 'Any JSON: shown as the run’s `progress`.', example: { percent: 40 } })
  progress?: unknown;
}
