import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Twice: what the first round finalises, the second one frees. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
}
