import { ApiProperty } from '@nestjs/swagger';
import { ALERT_KINDS, DELIVERY_STATUSES, NOTICE_KINDS } from '#domain';

const time = { type: String, format: 'date-time', nullable: true };
const maybe = { type: String, nullable: true };

export class DeliveryView {
  @ApiProperty({ example: 'msg_019a8f0c1d2e5b6f7a8c9d0e1f2a3b4c5d', description: 'Also the header `webhook-id`.' })
  id: string;
  @ApiProperty({ enum: NOTICE_KINDS }) kind: string;
  @ApiProperty({ ...maybe, enum: ALERT_KINDS, description: 'What an alert is for …' }) alert: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: '… and of how many runs of its task and minute.' })
  alert_count: number | null;
  @ApiProperty({ example: '1767225600-42' }) run_id: string;
  @ApiProperty({ example: '42' }) task_id: string;
  @ApiProperty({ ...maybe, description: 'Where the last try went, or the first will. Null for an alert.' })
  url: string | null;
  @ApiProperty({ example: 'POST' }) method: string;
  @ApiProperty({
    enum: DELIVERY_STATUSES,
    description: 'PENDING: not acknowledged yet. FAILED: given up; it can be redelivered.',
  })
  status: string;
  @ApiProperty({ example: 1, description: 'Tries so far, since it was last asked for.' }) attempts: number;
  @ApiProperty({ ...time, description: 'When the next try is due, or one that is under way counts as lost.' })
  next_attempt_at: string | null;
  @ApiProperty(time) last_attempt_at: string | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 200 }) last_status: number | null;
  @ApiProperty({ ...maybe, description: 'Why the last try failed.' }) last_error: string | null;
  @ApiProperty({ type: String, format: 'date-time' }) created_at: string;
  @ApiProperty(time) delivered_at: string | null;
}

export class DeliveryListView {
  @ApiProperty({ type: [DeliveryView] }) items: DeliveryView[];
  @ApiProperty({ ...maybe, description: 'Null on the last page.' }) next_cursor: string | null;
}
