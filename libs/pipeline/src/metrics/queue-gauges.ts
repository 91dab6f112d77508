import type { QueueDepth } from '#queue';
import type { Meters, Reading } from './meters.js';
import { RareCount } from './rare-count.js';

const KEEP_MS = 5_000;

type Depths = Record<string, QueueDepth>;

export function watchQueues(meters: Meters, read: () => Promise<Depths>): void {
  const depths = new RareCount(read, undefined, KEEP_MS);
  const readings = async <Label extends string>(of: (depths: Depths) => Reading<Label>[]) => {
    const now = await depths.read();
    return now && of(now);
  };
  meters.gauges(
    'queue_jobs',
    'Jobs in the queue: due and not taken yet (`waiting`), due later (`delayed`), in the hands of a worker (`active`). A job of `runs` or `commands` carries up to `DISPATCH_SIZE` runs. Asked when somebody looks, at most every 5 seconds; left out while the queue is away.',
    ['queue', 'state'],
    () => readings((all) => Object.entries(all).flatMap(([queue, depth]) => jobsOf(queue, depth))),
  );
  meters.gauges(
    'queue_oldest_seconds',
    'How long the oldest waiting job has been due; 0 when none waits.',
    ['queue'],
    () =>
      readings((all) =>
        Object.entries(all).map(([queue, { oldestSeconds }]) => ({ labels: { queue }, value: oldestSeconds })),
      ),
  );
}

function jobsOf(queue: string, depth: QueueDepth): Reading<'queue' | 'state'>[] {
  return (['waiting', 'delayed', 'active'] as const).map((state) => ({
    labels: { queue, state },
    value: depth[state],
  }));
}
