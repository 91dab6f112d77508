import { InvalidInput } from '#domain';
import { AnyField } from '../http/field.js';

const MOST_PROGRESS = 16_384;

export class HeartbeatRequest {
  static readonly mayBeEmpty = true;

  @AnyField({
    description: 'Any JSON of up to 16 KiB, shown on the run; left out, the last one stays.',
    example: { done: 40 },
  })
  progress?: unknown;
}

/** Throws InvalidInput. */
export function progressIn({ progress }: HeartbeatRequest): unknown {
  if (progress === undefined || progress === null) return undefined;
  if (Buffer.byteLength(JSON.stringify(progress)) <= MOST_PROGRESS) return progress;
  throw new InvalidInput([{ field: 'progress', message: `must be at most ${MOST_PROGRESS} bytes of JSON` }]);
}
