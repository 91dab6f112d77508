import { ApiProperty } from '@nestjs/swagger';
import { RUN_STATUSES, TASK_TYPES } from '#domain';
import { CreateTaskRequest } from './create-task.request.js';

class LastRunView {
  @ApiProperty({ example: '1767225600-42' })
  id: string;

  @ApiProperty({ enum: RUN_STATUSES })
  status: string;

  @ApiProperty({ format: 'date-time' })
  scheduled_time: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  finished_at: string | null;
}

/** A task as it comes back: all its fields, and what the platform knows about it. */
export class TaskView extends CreateTaskRequest {
  @ApiProperty({ example: '42' })
  id: string;

  @ApiProperty({ example: 1, description: 'Goes up with every change; also the ETag.' })
  version: number;

  @ApiProperty({ enum: TASK_TYPES })
  type: string;

  @ApiProperty({ nullable: true, type: String, example: '*/15 * * * * *', description: 'The schedule as written.' })
  cron_source: string | null;

  @ApiProperty({ nullable: true, type: String, format: 'date-time' })
  next_fire_at: string | null;

  @ApiProperty({ example: 0, description: 'Runs that hold a slot.' })
  active_runs: number;

  @ApiProperty({ example: 0, description: 'Runs that wait for one.' })
  queued_runs: number;

  @ApiProperty({ nullable: true, type: LastRunView })
  last_run: LastRunView | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  updated_at: string;
}

export class TaskListView {
  @ApiProperty({ type: [TaskView] })
  items: TaskView[];

  @ApiProperty({ nullable: true, type: String, description: 'Null on the last page.' })
  next_cursor: string | null;
}
