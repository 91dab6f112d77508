import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';

const counts = { type: 'object', additionalProperties: { type: 'integer' } } as const;
const rate = { type: 'number', example: 1.7 } as const;

export class WindowView {
  @ApiProperty({ type: String, format: 'date-time' }) from: string;
  @ApiProperty({ type: String, format: 'date-time' }) to: string;
  @ApiProperty({ type: 'integer', description: 'How many runs were due in it.' }) runs: number;
  @ApiProperty({ description: 'False: there were more than 10,000, and it begins with the oldest of the newest ones.' })
  complete: boolean;
}

export class LatenessView {
  @ApiProperty({ type: 'integer', example: 35 }) p50: number;
  @ApiProperty({ type: 'integer', example: 90 }) p90: number;
  @ApiProperty({ type: 'integer', example: 210 }) p99: number;
  @ApiProperty({ type: 'integer', example: 400 }) max: number;
  @ApiProperty({ type: 'integer', description: 'How many runs it is about.' }) runs: number;
}

export class ThroughputView {
  @ApiProperty({ ...rate, description: 'Runs of the window that were carried out, by the length of the window.' })
  finished_per_second: number;
  @ApiProperty(rate) last_minute_per_second: number;
}

export class QueueView {
  @ApiProperty({ type: 'integer', description: 'Jobs that are due and not taken yet.' }) waiting: number;
  @ApiProperty({ type: 'integer', description: 'Jobs that are due later.' }) delayed: number;
  @ApiProperty({ type: 'integer', description: 'Jobs in the hands of a worker.' }) active: number;
  @ApiProperty({ type: 'number', description: 'How long the oldest waiting job has been due.' }) oldest_seconds: number;
}

@ApiExtraModels(QueueView)
export class StatsView {
  @ApiProperty({ type: String, format: 'date-time' }) at: string;
  @ApiProperty({
    ...counts,
    example: {
      SCHEDULED: 3,
      RUNNING: 2,
      QUEUED: 0,
      WAITING_CALLBACK: 1,
      RETRYING: 0,
      COMPLETED: 0,
      PENDING: 1,
      ahead: 12,
    },
    description:
      'Runs that are not over, now, however old; `ahead` are SCHEDULED ones that start later and are not admitted yet.',
  })
  open: Record<string, number>;
  @ApiProperty({
    ...{ type: [String], example: [] },
    description:
      'Which of them may be more than is said, because counting ends at 10,000 (SCHEDULED and RUNNING: 20,000 alarms).',
  })
  at_least: string[];
  @ApiProperty({ ...counts, example: { SUCCESS: 3600, FAILED: 2 }, description: 'Runs of the window that are over.' })
  finished: Record<string, number>;
  @ApiProperty({
    type: WindowView,
    description: 'The due times that `finished`, `lateness_ms` and `throughput` are about.',
  })
  window: WindowView;
  @ApiProperty({
    ...{ type: LatenessView, nullable: true },
    description: 'From the due second to the start, of CRON runs of the window; null when there is none.',
  })
  lateness_ms: LatenessView | null;
  @ApiProperty({ type: ThroughputView }) throughput: ThroughputView;
  @ApiProperty({
    ...{ type: 'object', nullable: true, additionalProperties: { $ref: '#/components/schemas/QueueView' } },
    description:
      'The queues of the whole installation, by name; null while the queue is away. A job carries up to `DISPATCH_SIZE` runs.',
  })
  queues: Record<string, QueueView> | null;
}
