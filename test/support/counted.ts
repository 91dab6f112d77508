import type { Platform } from '#pipeline';

/** What one of a process' series says, named as in its /metrics but for `punctual_`; 0 where it is not shown. */
export async function counted({ metrics }: Pick<Platform, 'metrics'>, series: string): Promise<number> {
  const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`punctual_${series} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** By how much each of them moves while something is done. */
export async function movedBy(platform: Pick<Platform, 'metrics'>, series: string[], work: () => Promise<unknown>) {
  const read = () => Promise.all(series.map((one) => counted(platform, one)));
  const before = await read();
  await work();
  return (await read()).map((value, i) => value - before[i]);
}

/** A series of `runs_total`. */
export const runsTotal = (status: string, trigger = 'MANUAL', reason = ''): string =>
  `runs_total{status="${status}",reason="${reason}",trigger="${trigger}"}`;
