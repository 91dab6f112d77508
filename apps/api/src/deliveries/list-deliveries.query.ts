import { DELIVERY_STATUSES, type DeliveryStatus } from '#domain';
import { TextField, WordField } from '../http/field.js';
import { ListQuery } from '../http/list.query.js';

export class ListDeliveriesQuery extends ListQuery {
  @WordField(DELIVERY_STATUSES)
  status?: DeliveryStatus;

  @TextField({ min: 1, max: 20 }, { description: 'Deliveries about runs of this task.', example: '42' })
  task_id?: string;

  @TextField({ min: 1, max: 64 }, { description: 'Deliveries about this run.', example: '1767225600-42' })
  run_id?: string;
}
