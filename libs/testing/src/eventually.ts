import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks again until the answer is there; for what can only be seen by looking, such as a row another process writes.
 * The time is for the busiest of machines: it is only ever used up by a test that fails.
 */
export async function eventually<Value>(
  ask: () => Promise<Value | null | undefined | false>,
  what: string | (() => string),
  timeoutMs = 30_000,
): Promise<Value> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end)
      throw new Error(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`);
    await pause(15);
  }
}
