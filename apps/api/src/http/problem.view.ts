import { ApiProperty } from '@nestjs/swagger';

class FieldProblemView {
  @ApiProperty({ example: 'notify.success.url' })
  field: string;

  @ApiProperty({ example: 'the URL must start with http:// or https://' })
  message: string;
}

/** RFC 9457. */
export class ProblemView {
  @ApiProperty({ example: 'urn:punctual:problem:invalid' })
  type: string;

  @ApiProperty({ example: 'Unprocessable Entity' })
  title: string;

  @ApiProperty({ example: 422 })
  status: number;

  @ApiProperty({ example: 'cron_expr: minute: 61 is out of range 0–59' })
  detail: string;

  @ApiProperty({ example: '4bf92f3577b34da6a3ce929d0e0e4736' })
  trace_id: string;

  @ApiProperty({ type: [FieldProblemView], required: false })
  errors?: FieldProblemView[];
}
