import { ApiProperty } from '@nestjs/swagger';
import { NODE_ROLES, NODE_STATES } from '#domain';

const time = { type: String, format: 'date-time' };

export class NodeView {
  @ApiProperty({
    example: 'web-1-4711-9f3a2c',
    description: 'New with every start. Runs and attempts name it as `node`.',
  })
  id: string;
  @ApiProperty({ enum: NODE_ROLES, description: 'SCHEDULER: an API that also turns due seconds into runs.' })
  role: string;
  @ApiProperty({ example: 'web-1' }) host: string;
  @ApiProperty({ type: 'integer', example: 4711 }) pid: number;
  @ApiProperty({ example: '0.1.0' }) version: string;
  @ApiProperty(time) started_at: string;
  @ApiProperty({ ...time, description: 'By the database’s clock.' }) heartbeat_at: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Run slots of a worker; null for the others.' })
  capacity: number | null;
  @ApiProperty({ type: 'integer', description: 'Calls a worker has under way; requests an API is answering.' })
  load: number;
  @ApiProperty({
    enum: NODE_STATES,
    description: 'SUSPECT: silent for half of its lease. DEAD: for all of it. DRAINING: takes nothing new.',
  })
  state: string;
  @ApiProperty({ ...time, nullable: true }) draining_since: string | null;
  @ApiProperty({ description: 'It drains and has nothing left to finish: it can be stopped without a wait.' })
  drained: boolean;
}

export class NodeListView {
  @ApiProperty({ type: [NodeView] }) items: NodeView[];
}
