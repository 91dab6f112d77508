import { ApiProperty } from '@nestjs/swagger';

const maybe = { type: String, nullable: true };
const fields = { type: 'object', nullable: true, additionalProperties: true } as const;

export class AuditEntryView {
  @ApiProperty({ example: '1' }) id: string;
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ example: 'default' }) tenant: string;
  @ApiProperty({ ...maybe, description: 'The name of the key; null without keys.', example: 'ops' }) by: string | null;
  @ApiProperty({ ...maybe, example: '7' }) key_id: string | null;
  @ApiProperty({ ...maybe, example: '10.0.0.7' }) address: string | null;
  @ApiProperty({ example: 'task.patch' }) action: string;
  @ApiProperty({ example: 'task' }) entity: string;
  @ApiProperty({ example: '42' }) entity_id: string;
  @ApiProperty({ ...fields, description: 'What changed, as it was; secrets are masked.' }) before: object | null;
  @ApiProperty({ ...fields, description: 'The same, as it is since.' }) after: object | null;
  @ApiProperty({ example: '4bf92f3577b34da6a3ce929d0e0e4736' }) trace_id: string;
}

export class AuditListView {
  @ApiProperty({ type: [AuditEntryView] }) items: AuditEntryView[];
  @ApiProperty({ nullable: true, type: String, description: 'Null on the last page.' }) next_cursor: string | null;
}
