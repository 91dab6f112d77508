import { AnyField } from '../http/field.js';
import { ExecutionRequest } from './execution.request.js';

export class CompleteRequest extends ExecutionRequest {
  @AnyField({ description: 'Any JSON: the run’s `result`.', example: { rendered: 12 } })
  result?: unknown;
}
