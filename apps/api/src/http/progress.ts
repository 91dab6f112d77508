import { InvalidInput } from '#domain';

const MOST_PROGRESS = 16_384;

/** What a heartbeat says of how far the work is. Throws InvalidInput. */
export function progressIn(progress: unknown): unknown {
  if (progress === undefined || progress === null) return undefined;
  if (Buffer.byteLength(JSON.stringify(progress)) <= MOST_PROGRESS) return progress;
  throw new InvalidInput([{ field: 'progress', message: `must be at most ${MOST_PROGRESS} bytes of JSON` }]);
}
