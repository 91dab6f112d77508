import type { Outcome } from './scenario.js';

/** The table at the end: one line per scenario and stack, as Markdown, so that it can be kept. */
export function summaryOf(outcomes: readonly Outcome[]): string {
  const rows = [...outcomes].sort((a, b) => a.scenario.row - b.scenario.row).map(cellsOf);
  const table = [
    ['row', 'fault', 'must hold', 'stack', 'runs checked', 'lost', 'doubled', 'recovery', 'took', 'holds'],
    ...rows,
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((cells) => cells[column].length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  const [head, ...body] = table.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

function cellsOf({ scenario, stack, seconds, findings, error }: Outcome): string[] {
  const { checked, lost, doubled, recoverySeconds } = findings;
  return [
    String(scenario.row),
    scenario.name,
    scenario.holds,
    stack,
    String(checked),
    String(lost),
    String(doubled),
    recoverySeconds === undefined ? '' : `${recoverySeconds.toFixed(1)} s`,
    `${Math.round(seconds)} s`,
    error || !findings.isWhole() ? 'NO' : 'yes',
  ];
}

export const isWhole = ({ error, findings }: Outcome): boolean => error === undefined && findings.isWhole();

/** What is wrong, and how to see it again. */
export function complaintOf({ scenario, stack, error, findings }: Outcome, seed: number, logs: string): string {
  const lines = [...(error ? [error.message] : []), ...findings.broken].slice(0, 12).map((line) => `    ${line}`);
  const again = `    again: npm run test:faults -- --only ${scenario.row} --stack ${stack} --seed ${seed}`;
  return [`✗ ${scenario.row} ${scenario.name} on ${stack}`, ...lines, again, `    logs: ${logs}`].join('\n');
}
