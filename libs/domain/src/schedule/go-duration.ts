import { CronError, shown } from './cron-error.js';

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5
  μs: 1_000n, // U+03BC
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const DURATION = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PART = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g;
/** Go keeps a duration in a signed 64-bit number of nanoseconds. */
const LONGEST = 2n ** 63n - 1n;

/** The whole seconds of a Go duration such as 1h30m or 1.5h; what is shorter than a second counts as one. */
export function parseEvery(text: string): number {
  const [, sign, parts] = DURATION.exec(text) ?? [];
  if (parts === undefined) {
    throw new CronError('cron_expr', `@every ${shown(text)} is not a duration such as 90s, 5m or 1h30m`);
  }
  const total = nanoseconds(parts);
  if (sign === '-' || total === 0n) throw new CronError('cron_expr', `@every ${shown(text)} is not more than 0`);
  if (total > LONGEST) throw new CronError('cron_expr', `@every ${shown(text)} is longer than 2562047h (292 years)`);
  return Math.max(Number(total / NANOSECONDS.s), 1);
}

function nanoseconds(parts: string): bigint {
  let total = 0n;
  for (const [, whole, fraction, unit] of parts.matchAll(PART)) {
    const scaled = BigInt(whole + fraction) * NANOSECONDS[unit];
    total += scaled / 10n ** BigInt(fraction.length);
  }
  return total;
}
