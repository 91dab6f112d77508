import { setTimeout as pause } from 'node:timers/promises';
import { faultOf, migrate, MigrationError } from '#database';
import { QueueMisconfigured } from '#queue';
import { openTracing } from '../trace/open-tracing.js';
import type { Platform } from './open-platform.js';

const TRY_EVERY_MS = 500;
const SAY_EVERY_MS = 10_000;

/**
 * Waits for the database and the queue, brings the tables up to date, and sets the clock. A server that is away is waited
 * for, and said so; a server that refuses us is an error.
 */
export async function waitUntilReady(platform: Platform, signal?: AbortSignal): Promise<void> {
  const { config, log, clock, queue } = platform;
  platform.tracing ??= await openTracing(platform.node, log);
  await insist(platform, 'the database', signal, async () => {
    const applied = await migrate(config.databaseUrl);
    for (const name of applied) log.info({ migration: name }, 'migration applied');
    await clock.measure();
  });
  await insist(platform, 'the queue', signal, () => queue.prepare());
  platform.clockKeeper.start();
}

async function insist(
  { log }: Platform,
  what: string,
  signal: AbortSignal | undefined,
  work: () => Promise<void>,
): Promise<void> {
  let saidAt = -Infinity;
  for (;;) {
    try {
      await work();
      if (saidAt !== -Infinity) log.info(`${what} is there`);
      return;
    } catch (error) {
      if (isFinal(error)) throw error;
      if (performance.now() - saidAt > SAY_EVERY_MS) {
        log.warn({ reason: (error as Error).message.trim() }, `waiting for ${what}`);
        saidAt = performance.now();
      }
    }
    await pause(TRY_EVERY_MS, undefined, { signal });
  }
}

/** A wrong password, a missing database or a broken migration does not go away by waiting. */
function isFinal(error: unknown): boolean {
  if (error instanceof MigrationError || error instanceof QueueMisconfigured) return true;
  return faultOf(error) === 'other' && REFUSED.test((error as Error).message);
}

const REFUSED =
  /password authentication failed|access denied|no pg_hba.conf entry|role ".*" does not exist|WRONGPASS|NOAUTH|unknown database|certificate|permission denied/i;
