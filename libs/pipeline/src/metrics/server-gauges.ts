import type { Meters } from './meters.js';
import { RoundTrip } from './round-trip.js';

/** The smallest question each server answers; throws or hangs while it is away. */
export interface Servers {
  database: () => Promise<unknown>;
  queue: () => Promise<unknown>;
}

const NAMES = { database: 'the database', queue: 'the queue’s server (Redis, or the PostgreSQL that holds it)' };

export function watchServers(meters: Meters, servers: Servers): void {
  for (const server of ['database', 'queue'] as const) {
    const trip = new RoundTrip(servers[server]);
    meters.gauge(
      `${server}_up`,
      `Whether ${NAMES[server]} answered this process within a second, 1 or 0; asked when somebody looks, at most every 5 seconds.`,
      async () => ((await trip.read()) === undefined ? 0 : 1),
    );
    meters.gauge(
      `${server}_latency_seconds`,
      `How long that answer took, with the wait for a free connection; left out while there is none.`,
      () => trip.read(),
    );
  }
}
