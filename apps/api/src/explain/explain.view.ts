import { ApiProperty } from '@nestjs/swagger';
import { EXPLAIN_ANSWERS, RUN_STATUSES, RUN_TRIGGERS, SKIP_REASONS } from '#domain';

const time = { type: String, format: 'date-time' };
const optionalTime = { ...time, required: false };

export class ExplainedRunView {
  @ApiProperty({ example: '1774746000-42' }) id: string;
  @ApiProperty({ enum: RUN_STATUSES, example: 'SUCCESS' }) status: string;
  @ApiProperty({ enum: RUN_TRIGGERS, example: 'CRON' }) trigger: string;
  @ApiProperty({ ...time, example: '2026-03-29T01:00:00.000Z' }) scheduled_time: string;
  @ApiProperty({ ...time, nullable: true, example: '2026-03-29T01:00:00.004Z' }) started_at: string | null;
  @ApiProperty({ ...time, nullable: true, example: '2026-03-29T01:00:00.051Z' }) finished_at: string | null;
  @ApiProperty({ type: String, nullable: true, example: null }) error_code: string | null;
}

export class ExplainView {
  @ApiProperty({ ...time, example: '2026-03-29T01:00:00.000Z' }) at: string;
  @ApiProperty({ enum: EXPLAIN_ANSWERS, example: 'FIRED' }) answer: string;
  @ApiProperty({ example: 'Run 1774746000-42 is SUCCESS.', description: 'For a person.' }) detail: string;
  @ApiProperty({ type: ExplainedRunView, required: false, description: 'The row the answer comes from.' })
  run?: ExplainedRunView;
  @ApiProperty({ enum: SKIP_REASONS, required: false, description: 'SKIPPED and MISSED.' }) skip_reason?: string;
  @ApiProperty({ required: false, description: 'SKIPPED: the run that stood in the way.' }) blocked_by?: string;
  @ApiProperty({ ...optionalTime, description: 'A gap: its first due second …' }) missed_from?: string;
  @ApiProperty({ type: 'integer', required: false, description: '… and how many it had.' }) missed_count?: number;
  @ApiProperty({ ...optionalTime, description: 'The next due second, if there is one.' }) next_due?: string;
}
