import { ApiProperty } from '@nestjs/swagger';
import { CALLBACK_OUTCOMES, RUN_STATUSES, RUN_TRIGGERS, SKIP_REASONS } from '#domain';
import { DeliveryView } from '../deliveries/delivery.view.js';
import { ANY_JSON } from '../http/any-json.js';

const time = { type: String, format: 'date-time', nullable: true };
const maybe = { type: String, nullable: true };
const count = { type: 'integer', nullable: true } as const;
const json = { type: 'object', nullable: true, additionalProperties: true } as const;

export class AttemptView {
  @ApiProperty({ example: 1 }) attempt: number;
  @ApiProperty() exec_id: string;
  @ApiProperty(maybe) node: string | null;
  @ApiProperty({ example: 'SUCCESS' }) outcome: string;
  @ApiProperty(time) started_at: string | null;
  @ApiProperty(time) finished_at: string | null;
  @ApiProperty(count) duration_ms: number | null;
  @ApiProperty({ ...json, description: 'What was sent, secrets redacted.' }) request: unknown;
  @ApiProperty({ ...json, description: 'Status, headers and the first 16 KiB of the body.' }) response: unknown;
  @ApiProperty({ ...count, example: 200 }) http_status: number | null;
  @ApiProperty(maybe) error_code: string | null;
  @ApiProperty(maybe) error_info: string | null;
}

export class HandlingView {
  @ApiProperty({ enum: ['RESOLVE', 'RETRY'] }) action: string;
  @ApiProperty({ ...maybe, description: 'Who, as the request said.' }) by: string | null;
  @ApiProperty({ type: String, format: 'date-time' }) at: string;
  @ApiProperty(maybe) remark: string | null;
  @ApiProperty({ example: 1, description: 'Executions the run had had by then.' }) attempt: number;
  @ApiProperty({ description: 'Whether the payload was replaced.' }) payload_edited: boolean;
  @ApiProperty({ ...ANY_JSON, description: 'The payload before that.' }) previous_payload: unknown;
}

export class RunView {
  @ApiProperty({ example: '1767225600-42', description: 'Sorts by scheduled time.' }) id: string;
  @ApiProperty({ example: '42' }) task_id: string;
  @ApiProperty({ example: 'sync_stats' }) task_name: string;
  @ApiProperty({
    enum: RUN_TRIGGERS,
    description:
      'What made it: its schedule; somebody, by its task (MANUAL) or by its name as a job (API); or what is brought back.',
  })
  trigger: string;
  @ApiProperty(maybe) category: string | null;
  @ApiProperty(maybe) creator: string | null;
  @ApiProperty({ example: 0 }) priority: number;
  @ApiProperty({ enum: RUN_STATUSES }) status: string;
  @ApiProperty({ ...maybe, enum: SKIP_REASONS }) skip_reason: string | null;
  @ApiProperty({ ...maybe, description: 'The run that stood in the way.' }) blocked_by: string | null;
  @ApiProperty({ ...time, description: 'A row for a gap: its first due second …' }) missed_from: string | null;
  @ApiProperty({ ...count, description: '… and how many there were.' }) missed_count: number | null;
  @ApiProperty({ ...count, example: 200 }) http_status: number | null;
  @ApiProperty(maybe) error_code: string | null;
  @ApiProperty(maybe) error_info: string | null;
  @ApiProperty({ type: String, format: 'date-time' }) scheduled_time: string;
  @ApiProperty(time) queued_at: string | null;
  @ApiProperty(time) started_at: string | null;
  @ApiProperty(time) finished_at: string | null;
  @ApiProperty({ ...time, description: 'When it was moved to the archive.' }) archived_at: string | null;
  @ApiProperty({ ...time, description: 'ASYNC: when the callback of the last attempt must be there.' }) deadline:
    string | null;
  @ApiProperty({ ...time, description: 'ASYNC: when its next heartbeat must be there.' }) heartbeat_deadline:
    string | null;
  @ApiProperty({ ...count, description: 'From the last start to the end.' }) duration_ms: number | null;
  @ApiProperty({ ...count, description: 'From the scheduled time to the start.' }) lateness_ms: number | null;
  @ApiProperty({ example: 1, description: 'Executions within the run.' }) attempt: number;
  @ApiProperty({ example: 1 }) max_attempts: number;
  @ApiProperty({ example: 1, description: 'The count over ticks, by failure_action.' }) tick_attempt: number;
  @ApiProperty({ ...maybe, description: 'Names one execution.' }) exec_id: string | null;
  @ApiProperty(maybe) node: string | null;
  @ApiProperty(count) attempt_timeout_seconds: number | null;
  @ApiProperty(ANY_JSON) payload: unknown;
  @ApiProperty(ANY_JSON) result: unknown;
  @ApiProperty(ANY_JSON) progress: unknown;
  @ApiProperty({ ...maybe, description: 'What a person last said about it.' }) remark: string | null;
  @ApiProperty({ example: '4bf92f3577b34da6a3ce929d0e0e4736' }) trace_id: string;
}

export class RunCallbackView {
  @ApiProperty({ example: 1 }) attempt: number;
  @ApiProperty() exec_id: string;
  @ApiProperty(time) started_at: string | null;
  @ApiProperty({ ...time, description: 'When the target had answered the call that started it.' }) answered_at:
    string | null;
  @ApiProperty({ ...count, example: 202 }) http_status: number | null;
  @ApiProperty({ ...maybe, enum: CALLBACK_OUTCOMES }) outcome: string | null;
  @ApiProperty({ ...time, description: 'When the callback came that closed it.' }) received_at: string | null;
}

export class LateCallbackView {
  @ApiProperty({ example: 1 }) attempt: number;
  @ApiProperty({ enum: CALLBACK_OUTCOMES }) status: string;
  @ApiProperty(ANY_JSON) result: unknown;
  @ApiProperty(maybe) error_info: string | null;
  @ApiProperty({ enum: ['RECORDED', 'ACCEPTED', 'PENDING'], description: 'What it did, by late_policy.' })
  effect: string;
  @ApiProperty(time) received_at: string | null;
}

export class RunWithAttemptsView extends RunView {
  @ApiProperty({ type: [AttemptView] }) attempts: AttemptView[];
  @ApiProperty({ type: [RunCallbackView], description: 'ASYNC: one for each attempt that was started.' })
  callbacks: RunCallbackView[];
  @ApiProperty({ type: [LateCallbackView], description: 'What callbacks said after the end.' })
  late_callbacks: LateCallbackView[];
  @ApiProperty({ type: [HandlingView], description: 'What people did about it, oldest first.' })
  handled: HandlingView[];
  @ApiProperty({ type: [DeliveryView], description: 'What the team was told of it.' }) deliveries: DeliveryView[];
}

export class RunListView {
  @ApiProperty({ type: [RunView] }) items: RunView[];
  @ApiProperty({ ...maybe, description: 'Null on the last page.' }) next_cursor: string | null;
}
