import type { FuzzReport } from './fuzz.js';

const MIB = 1024 * 1024;
/** What a process may come to hold that it did not after the first quarter, before it looks like a leak. */
const MOST_GROWTH = 96 * MIB;

export const grewBy = ({ memory }: FuzzReport): number => memory.end - memory.early;
export const isFlat = (report: FuzzReport): boolean => grewBy(report) < MOST_GROWTH;
export const isWell = (report: FuzzReport): boolean => report.complaints.length === 0 && isFlat(report);

const SHOWN = 20;
const mib = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;

export function reportLines(report: FuzzReport): string[] {
  const { requests, seed, ms, memory, complaints } = report;
  const statuses = [...report.byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${nameOf(status)} ${count}`);
  return [
    `${requests} requests in ${(ms / 1000).toFixed(1)} s, seed ${seed}`,
    `by status: ${statuses.join(', ')}`,
    `slowest: ${report.slowest.map((one) => `${one.operation} ${one.ms} ms`).join(', ')}`,
    `memory: ${mib(memory.before)} before, ${mib(memory.early)} after a quarter, ${mib(memory.end)} at the end`,
    ...(report.neverOk.length > 0 ? [`never answered 2xx: ${report.neverOk.join(', ')}`] : []),
    ...complaints
      .slice(0, SHOWN)
      .map((one) => `✗ request ${one.index} (${one.request.operation}) ${one.complaint}\n  ${one.curl}`),
    ...(complaints.length > SHOWN ? [`  … and ${complaints.length - SHOWN} more`] : []),
    verdictOf(report),
  ];
}

const nameOf = (status: number): string =>
  status === 0 ? 'no answer' : status === -1 ? 'not sendable' : String(status);

function verdictOf(report: FuzzReport): string {
  if (report.complaints.length > 0)
    return `✗ ${report.complaints.length} answers are not as they should be; --seed ${report.seed} asks the same again`;
  return isFlat(report) ? '✓ no 5xx, no hang, no inside shown, memory flat' : `✗ memory grew by ${mib(grewBy(report))}`;
}
