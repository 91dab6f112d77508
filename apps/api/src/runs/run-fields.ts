import { type FieldProblem, InvalidInput, startTimeProblem } from '#domain';
import type { RunOrder } from '#pipeline';
import { AnyField, InstantField, TextField, WholeField } from '../http/field.js';

/** What every run on demand may be given. */
export class RunFields {
  @AnyField({ description: 'Any JSON; `{{payload}}` in the task’s templates.', example: { month: '2026-01' } })
  payload?: unknown;

  @InstantField({
    description: 'Not before this time, up to a year ahead. Default, and what becomes of a time that has passed: now.',
    example: '2027-01-01T00:00:00Z',
  })
  start_time?: string | null;

  @WholeField(0, 9, { description: 'Instead of the task’s; higher first.' })
  priority?: number | null;

  @TextField({ min: 1, max: 128, label: true }, { description: 'Who asked for it.', example: 'team-billing' })
  creator?: string | null;

  @WholeField(1, 86_400, { description: 'Instead of the task’s timeout_seconds.' })
  attempt_timeout_seconds?: number | null;
}

/** What the request says of the run itself. Throws InvalidInput. */
export function orderFrom(fields: RunFields, now: number): Omit<RunOrder, 'taskId' | 'trigger' | 'traceId'> {
  const startTime = fields.start_time ? new Date(fields.start_time) : undefined;
  const problems = startTime ? problemsOf(startTime, now) : [];
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    payload: fields.payload ?? undefined,
    startTime,
    priority: fields.priority ?? undefined,
    creator: fields.creator ?? undefined,
    attemptTimeoutSeconds: fields.attempt_timeout_seconds ?? undefined,
  };
}

function problemsOf(startTime: Date, now: number): FieldProblem[] {
  const message = startTimeProblem(startTime.getTime(), now);
  return message === null ? [] : [{ field: 'start_time', message }];
}
