/** What is remembered of a child between its deaths. */
export interface RestartHistory {
  nextDelayMs: number;
  quickExits: number;
}

export type RestartVerdict = { kind: 'restart'; delayMs: number; history: RestartHistory } | { kind: 'give-up' };

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const STEADY_MS = 60_000;
const QUICK_MS = 5_000;
const QUICK_EXITS = 3;

export const NO_HISTORY: RestartHistory = { nextDelayMs: FIRST_DELAY_MS, quickExits: 0 };

/**
 * A child that dies comes back after 0.5 s, 1 s, 2 s … 30 s, and from the start again once it has lived a minute.
 * One that never comes up at all (three quick deaths before anything was ready) is a mistake someone has to look at.
 */
export function afterExit(history: RestartHistory, aliveMs: number, wasEverReady: boolean): RestartVerdict {
  const quickExits = aliveMs < QUICK_MS ? history.quickExits + 1 : 0;
  if (!wasEverReady && quickExits >= QUICK_EXITS) return { kind: 'give-up' };
  const delayMs = aliveMs >= STEADY_MS ? FIRST_DELAY_MS : history.nextDelayMs;
  const nextDelayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  return { kind: 'restart', delayMs, history: { nextDelayMs, quickExits } };
}
