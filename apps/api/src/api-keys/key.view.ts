import { ApiProperty } from '@nestjs/swagger';
import { KEY_STATES, ROLES } from '#domain';

const time = { type: String, format: 'date-time' };
const maybeTime = { ...time, nullable: true };

export class KeyView {
  @ApiProperty({ example: '7' }) id: string;
  @ApiProperty({ example: 'default', description: '`*`: the whole deployment.' }) tenant: string;
  @ApiProperty({ example: 'billing service' }) name: string;
  @ApiProperty({ enum: ROLES }) role: string;
  @ApiProperty({ example: 'pk_4k2j9x0a8b1c', description: 'How the key begins.' }) prefix: string;
  @ApiProperty({ enum: KEY_STATES }) state: string;
  @ApiProperty({ type: String, nullable: true, description: 'The key that made it.' }) created_by: string | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty(maybeTime) expires_at: string | null;
  @ApiProperty(maybeTime) revoked_at: string | null;
  @ApiProperty({ ...maybeTime, description: 'To the minute.' }) last_used_at: string | null;
}

export class NewKeyView extends KeyView {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The key itself. It is shown this once and kept nowhere: null when the answer is a repetition.',
  })
  key: string | null;
}

export class KeyListView {
  @ApiProperty({ type: [KeyView] }) items: KeyView[];
  @ApiProperty({ nullable: true, type: String, description: 'Null on the last page.' }) next_cursor: string | null;
}
