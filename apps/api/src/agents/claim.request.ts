import { text } from '../http/checks.js';
import { ListField, TextField, WholeField } from '../http/field.js';

const name = text({ min: 1, max: 128 });

export class ClaimRequest {
  @TextField({ min: 1, max: 64, label: true }, { required: true, description: 'Who asks; shown as the run’s `node`.' })
  agent: string;

  @ListField(
    { max: 100 },
    name,
    { type: 'string' },
    { description: 'Only runs of these; none: of any.', example: ['gpu'] },
  )
  categories?: string[] | null;

  @ListField(
    { max: 100 },
    name,
    { type: 'string' },
    { description: 'Only runs of tasks with these names; none: of any.', example: ['render'] },
  )
  types?: string[] | null;

  @TextField({ min: 1, max: 128 }, { description: 'Only runs that this one asked for.', example: null })
  creator?: string | null;

  @WholeField(1, 100, { default: 1, description: 'Most runs that are wanted.', example: 10 })
  limit?: number | null;

  @WholeField(0, 30, { default: 0, description: 'How long to wait for the first one.', example: 30 })
  wait_seconds?: number | null;
}
