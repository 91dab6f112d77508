import { IntersectionType } from '@nestjs/swagger';
import { CallbackFields } from './callback-fields.js';
import { IdentityFields } from './identity-fields.js';
import { PolicyFields } from './policy-fields.js';
import { ScheduleFields } from './schedule-fields.js';
import { TargetFields } from './target-fields.js';

/** Everything a user may say about a task but its name, which only some requests may leave out. */
export class TaskFields extends IntersectionType(
  IdentityFields,
  ScheduleFields,
  TargetFields,
  PolicyFields,
  CallbackFields,
) {}

export const NAME = { min: 1, max: 128, label: true };
