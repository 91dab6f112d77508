import { advice, type Finding, ok } from '../finding.js';

const FAR_MS = 1_000;

/** Runs go by the database's clock, so a wrong one here harms only whoever reads logs. */
export function checkClock(offsetMs: number): Finding {
  const off = `${Math.abs(offsetMs) < 10 ? 'within 10 ms of' : `${seconds(offsetMs)} ${offsetMs > 0 ? 'behind' : 'ahead of'}`}`;
  const says = `this host is ${off} the database`;
  if (Math.abs(offsetMs) < FAR_MS) return ok('clock', says);
  return advice(
    'clock',
    says,
    'set up NTP on this host and on the database’s; runs go by the database’s clock in any case',
  );
}

const seconds = (ms: number): string => `${(Math.abs(ms) / 1000).toFixed(2)} s`;
