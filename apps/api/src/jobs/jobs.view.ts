import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { ProblemView } from '../http/problem.view.js';
import { RunView } from '../runs/run.view.js';

@ApiExtraModels(RunView, ProblemView)
export class JobsBatchView {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(RunView) }, { $ref: getSchemaPath(ProblemView) }] },
    description: 'In the order of `jobs`: the run, or the problem of a job that was refused; a problem has no `id`.',
  })
  items: (RunView | ProblemView)[];
}
