import { ApiProperty } from '@nestjs/swagger';

export class FireView {
  @ApiProperty({ format: 'date-time', example: '2026-03-29T01:00:00.000Z' }) at: string;
  @ApiProperty({ example: '2026-03-29T03:00:00+02:00' }) local: string;
  @ApiProperty({ required: false, description: 'What a clock change does to this fire.' }) note?: string;
}

export class NextView {
  @ApiProperty({ type: [FireView] }) next: FireView[];
}

export class PreviewView extends NextView {
  @ApiProperty({ example: '0 30 2 * * *' }) normalized: string;
  @ApiProperty({ example: 'at 02:30:00, every day, in Europe/Berlin' }) description: string;
}
