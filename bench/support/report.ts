import { loadavg } from 'node:os';

export interface Figure {
  name: string;
  value: number;
  unit: string;
  note?: string;
}

/** A figure that has something to reach. */
export interface Goal {
  what: string;
  value: number;
  unit?: string;
  atLeast?: number;
  atMost?: number;
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** A line of progress: something takes longer than one would wait without a word. */
export function say(text: string): void {
  console.log(`  … ${text} (load ${loadavg()[0].toFixed(1)})`);
}

/** A titled table, each figure beside its ratio to the first one: machines are noisy, ratios of one run are not. */
export function print(title: string, figures: readonly Figure[], { ratios = true } = {}): void {
  console.log(`\n${title}`);
  const width = Math.max(...figures.map(({ name }) => name.length));
  for (const { name, value, unit, note } of figures) {
    const ratio = ratios ? `  ×${(value / figures[0].value).toFixed(2)}` : '';
    console.log(`  ${name.padEnd(width)}  ${format(value).padStart(12)} ${unit}${ratio}${note ? `  (${note})` : ''}`);
  }
}

const judged: { ok: boolean; line: string }[] = [];

/** Says of each goal whether it was reached, and remembers it for the end of the run. */
export function judge(suite: string, goals: readonly Goal[]): void {
  for (const { what, value, unit = '', atLeast, atMost } of goals) {
    const ok = atLeast === undefined ? value <= (atMost ?? Infinity) : value >= atLeast;
    const wanted = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
    const line = `${ok ? 'ok   ' : 'short'}  ${what}: ${format(value)}${unit} (${wanted}${unit})`;
    console.log(`  ${line}`);
    judged.push({ ok, line: `${suite}: ${line}` });
  }
}

/** What fell short, once more at the end. */
export function sumUp(): void {
  if (judged.length === 0) return;
  const short = judged.filter(({ ok }) => !ok);
  console.log(`\n${judged.length - short.length} of ${judged.length} targets reached`);
  for (const { line } of short) console.log(`  ${line}`);
}

function format(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
