import { listNodes, outboxBacklog } from '#database';
import type { Platform } from '../platform/open-platform.js';
import type { QueueDepths } from './queue-depths.js';

/** What any process can tell of the whole fleet: who is there, what waits in the queues, and what is to be delivered. */
export function watchFleet(
  { metrics, database, clock }: Pick<Platform, 'metrics' | 'database' | 'clock'>,
  depths: QueueDepths,
): void {
  metrics.watchNodes(() => listNodes(database));
  metrics.watchOutbox(async () => {
    const { pending, oldest } = await outboxBacklog(database);
    return { pending, oldestSeconds: oldest === null ? 0 : Math.max(0, clock.now() - oldest) / 1000 };
  });
  metrics.watchQueues(() => depths.read());
}
