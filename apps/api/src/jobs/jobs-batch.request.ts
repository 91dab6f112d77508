import { ApiProperty } from '@nestjs/swagger';
import { ItemsField } from '../http/field.js';
import { JobRequest } from './job.request.js';

export const MOST_JOBS = 1000;

/** Its jobs are checked one by one: one that is wrong has its problem in the answer, and the others are admitted. */
export class JobsBatchRequest {
  static readonly leavesItemsOpen = true;

  @ItemsField({ min: 1, max: MOST_JOBS })
  @ApiProperty({ type: [JobRequest], minItems: 1, maxItems: MOST_JOBS })
  jobs: unknown[];
}
