import { InstantField, WholeField } from '../http/field.js';

export const DEFAULT_PARALLEL = 5;

export class BackfillRequest {
  @InstantField({ required: true, description: 'The first second of the range.', example: '2026-01-01T00:00:00Z' })
  from: string;

  @InstantField({
    required: true,
    description: 'The last second of the range; not in the future.',
    example: '2026-01-01T06:00:00Z',
  })
  to: string;

  @WholeField(1, 100, { default: DEFAULT_PARALLEL, description: 'Most unfinished runs of this backfill at once.' })
  max_parallel?: number | null;
}
