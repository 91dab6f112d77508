import { InstantField, WholeField } from '../http/field.js';
import { FromText } from '../http/list.query.js';
import { DEFAULT_COUNT, MAX_COUNT } from './preview.request.js';

export class NextQuery {
  @FromText()
  @WholeField(1, MAX_COUNT, { default: DEFAULT_COUNT })
  count?: number;

  @InstantField({ description: 'Fires after this time. Default: now.' })
  from?: string;
}
