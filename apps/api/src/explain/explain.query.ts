import { InstantField } from '../http/field.js';

export class ExplainQuery {
  @InstantField({
    required: true,
    description: 'The second in question; fractions are cut off.',
    example: '2026-03-29T01:30:00Z',
  })
  at: string;
}
