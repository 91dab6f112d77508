import { ApiProperty } from '@nestjs/swagger';
import { RUN_TRIGGERS } from '#domain';
import { ANY_JSON } from '../http/any-json.js';

const time = { type: String, format: 'date-time' };
const maybe = { type: String, nullable: true };

export class AgentRunView {
  @ApiProperty({ example: '1767225600-42' }) id: string;
  @ApiProperty({ description: 'Names this execution; heartbeat, complete and fail carry it.' }) exec_id: string;
  @ApiProperty({ ...time, description: 'Until when a heartbeat, or the end, must be there.' }) deadline: string;
  @ApiProperty({ ...time, description: 'Until when it must be over, heartbeats or not.' }) timeout_at: string;
  @ApiProperty({ example: 1 }) attempt: number;
  @ApiProperty({ example: 3 }) max_attempts: number;
  @ApiProperty({ example: '42' }) task_id: string;
  @ApiProperty({ example: 'render' }) task_name: string;
  @ApiProperty({ ...maybe, example: 'gpu' }) category: string | null;
  @ApiProperty(maybe) creator: string | null;
  @ApiProperty({ enum: RUN_TRIGGERS }) trigger: string;
  @ApiProperty({ example: 0 }) priority: number;
  @ApiProperty(time) scheduled_time: string;
  @ApiProperty(ANY_JSON) payload: unknown;
  @ApiProperty() trace_id: string;
}

export class ClaimView {
  @ApiProperty({ type: [AgentRunView], description: 'Highest priority first, then oldest.' }) items: AgentRunView[];
}

export class LeaseView {
  @ApiProperty({ description: 'The run was cancelled: let go, nothing more needs to be said.' })
  cancel_requested: boolean;

  @ApiProperty({ ...time, nullable: true, description: 'Until when the next heartbeat must be there.' })
  deadline: string | null;
}

export class ReportView {
  @ApiProperty() id: string;
  @ApiProperty({ description: 'It had been said before, and been heard.' }) duplicate: boolean;
}
