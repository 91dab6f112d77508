export interface Figure {
  name: string;
  value: number;
  unit: string;
  note?: string;
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
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

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}
