import { performance } from 'node:perf_hooks';
import type { Database } from './client.js';
import { Sql, type Statement } from './sql.js';

/** The database's time, in milliseconds since 1970. */
export interface Clock {
  now(): number;
}

const NOW: Statement = {
  postgresql: 'SELECT (extract(epoch from clock_timestamp()) * 1000)::float8 AS now',
  mysql: 'SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS DOUBLE) AS now',
};

const SAMPLES = 5;

/**
 * Keeps the distance between the database's clock and this process' monotonic one, so that asking the time costs nothing
 * and a host clock that is wrong, or jumps, changes nothing.
 */
export class DatabaseClock implements Clock {
  private offset = Date.now() - performance.now();

  constructor(private readonly database: Database) {}

  now(): number {
    return performance.now() + this.offset;
  }

  /** The sample with the shortest round trip is the most exact one: its error is at most half of that trip. */
  async measure(): Promise<{ offsetMs: number; roundTripMs: number }> {
    let best = { offset: 0, trip: Infinity };
    for (let i = 0; i < SAMPLES; i++) {
      const sent = performance.now();
      const [{ now }] = await Sql.on(this.database).rows<{ now: number }>(NOW);
      const trip = performance.now() - sent;
      if (trip < best.trip) best = { offset: Number(now) - (sent + trip / 2), trip };
    }
    this.offset = best.offset;
    return { offsetMs: this.now() - Date.now(), roundTripMs: best.trip };
  }
}
