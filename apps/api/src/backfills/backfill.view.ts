import { ApiProperty } from '@nestjs/swagger';

const time = { type: String, format: 'date-time' };
const count = { type: 'integer' } as const;

export class BackfillView {
  @ApiProperty({ example: '7' }) id: string;
  @ApiProperty({ example: '42' }) task_id: string;
  @ApiProperty({
    enum: ['RUNNING', 'DONE', 'CANCELED'],
    description: 'DONE: every second is decided and every run has ended, however it did.',
  })
  status: string;
  @ApiProperty({ ...time, example: '2026-01-01T00:00:00.000Z' }) from: string;
  @ApiProperty({ ...time, example: '2026-01-01T06:00:00.000Z' }) to: string;
  @ApiProperty({ example: 5 }) max_parallel: number;
  @ApiProperty({ ...time, nullable: true, description: 'The last second that is decided.' }) cursor: string | null;
  @ApiProperty({ ...count, example: 361, description: 'Due seconds of the range.' }) total: number;
  @ApiProperty({ ...count, example: 120, description: 'Runs that were made.' }) created: number;
  @ApiProperty({ ...count, example: 3, description: 'Seconds that had their run already.' }) existing: number;
  @ApiProperty({ ...count, example: 5, description: 'Of the runs made: not finished …' }) open: number;
  @ApiProperty({ ...count, example: 114, description: '… succeeded …' }) succeeded: number;
  @ApiProperty({ ...count, example: 1, description: '… failed, in any way …' }) failed: number;
  @ApiProperty({ ...count, example: 0, description: '… cancelled.' }) canceled: number;
  @ApiProperty(time) created_at: string;
  @ApiProperty(time) updated_at: string;
  @ApiProperty({ ...time, nullable: true, example: null }) finished_at: string | null;
}

export class BackfillListView {
  @ApiProperty({ type: [BackfillView] }) items: BackfillView[];
  @ApiProperty({ type: String, nullable: true, description: 'Null on the last page.' }) next_cursor: string | null;
}
