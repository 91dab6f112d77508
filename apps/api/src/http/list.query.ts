import { TextField, WholeField } from './field.js';
import { Converted } from './request-object.js';

export const DEFAULT_LIMIT = 50;

/** A query has texts only; digits become the number they write. */
export const FromText = () =>
  Converted((value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value));

/** The same of yes and no. */
export const FlagFromText = () =>
  Converted((value) => (value === 'true' || value === 'false' ? value === 'true' : value));

export class ListQuery {
  @FromText()
  @WholeField(1, 200, { default: DEFAULT_LIMIT, description: 'Most items of a page.' })
  limit?: number;

  @TextField({ min: 1, max: 200 }, { description: 'The `next_cursor` of the page before.' })
  cursor?: string;
}
