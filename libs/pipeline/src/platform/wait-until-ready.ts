import { setTimeout as pause } from 'node:timers/promises';
import { migrate, MigrationError } from '#database';
import { QueueMisconfigured } from '#queue';
import { openTracing } from '../trace/open-tracing.js';
import type { Platform } from './open-platform.js';
import { refusalOf } from './refusal.js';

const TRY_EVERY_MS = 500;
const SAY_EVERY_MS = 10_000;

/**
 * Waits for the database and the queue, brings the tables up to date, and sets the clock. A server that is away is waited
 * for, and said so; a server that refuses us is an error.
 */
export async function waitUntilReady(platform: Platform, signal?: AbortSignal): Promise<void> {
  const { config, log, clock, queue } = platform;
  platform.tracing ??= await openTracing(platform.node, log);
  await insist(platform, 'database', signal, async () => {
    const applied = await migrate(config.databaseUrl, undefined, config.databaseCaFile);
    for (const name of applied) log.info({ migration: name }, 'migration applied');
    await clock.measure();
  });
  await insist(platform, 'queue', signal, () => queue.prepare());
  platform.clockKeeper.start();
}

async function insist(
  { config, log }: Platform,
  what: 'database' | 'queue',
  signal: AbortSignal | undefined,
  work: () => Promise<void>,
): Promise<void> {
  let saidAt = -Infinity;
  for (;;) {
    try {
      await work();
      if (saidAt !== -Infinity) log.info(`the ${what} is there`);
      return;
    } catch (error) {
      if (isFinal(error)) throw error;
      const refusal = refusalOf(what, error, config);
      if (refusal) throw refusal;
      if (performance.now() - saidAt > SAY_EVERY_MS) {
        log.warn({ reason: (error as Error).message.trim() }, `waiting for the ${what}`);
        saidAt = performance.now();
      }
    }
    await pause(TRY_EVERY_MS, undefined, { signal });
  }
}

/** A broken migration or a queue that would lose work does not go away by waiting. */
const isFinal = (error: unknown): boolean => error instanceof MigrationError || error instanceof QueueMisconfigured;
