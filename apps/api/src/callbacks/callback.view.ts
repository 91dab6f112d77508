import { ApiProperty } from '@nestjs/swagger';
import { RUN_STATUSES } from '#domain';

export class CallbackAnswerView {
  @ApiProperty({ example: '1767225600-42' }) run_id: string;
  @ApiProperty({ enum: RUN_STATUSES, description: 'What the run is now.' }) status: string;
  @ApiProperty({ description: 'The same was said before; it counts once.' }) duplicate: boolean;
  @ApiProperty({ description: 'It came after the end of its attempt: it is kept, and `late_policy` decides.' })
  late: boolean;
}

const time = { type: String, format: 'date-time', nullable: true };

export class HeartbeatAnswerView {
  @ApiProperty({ description: 'Whether to stop working: the run was cancelled, or the attempt is over.' })
  cancel_requested: boolean;
  @ApiProperty({ ...time, description: 'When the callback must be there.' }) deadline: string | null;
  @ApiProperty({ ...time, description: 'When the next heartbeat must be there.' }) heartbeat_deadline: string | null;
  @ApiProperty({ description: 'The attempt was over when this came.' }) late: boolean;
}
