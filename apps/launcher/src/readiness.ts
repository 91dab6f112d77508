import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;
const SPEAK_EVERY_MS = 5_000;

/** Waits for /readyz to answer 200; says every few seconds what it is waiting for. Ends early when told to. */
export async function waitUntilReady(url: string, say: (line: string) => void, signal: AbortSignal): Promise<boolean> {
  const since = Date.now();
  for (let spoken = since; !signal.aborted; await sleep(LOOK_EVERY_MS)) {
    const answer = await ask(`${url}/readyz`);
    if (answer === 'ready') return true;
    if (Date.now() - spoken < SPEAK_EVERY_MS) continue;
    spoken = Date.now();
    say(`still waiting for the API after ${Math.round((spoken - since) / 1000)} s: ${answer}`);
  }
  return false;
}

async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    const body = await response.text();
    return response.status === 200 ? 'ready' : `it answers ${response.status} ${body.slice(0, 300)}`;
  } catch {
    return 'it does not answer yet';
  }
}
