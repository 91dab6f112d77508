import { type Clock, type Database, forgetExpiredKeys } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { Recount } from './recount.js';

const EVERY_MS = 5 * 60_000;

/**
 * What is to be done now and then: the recount, and forgetting idempotency keys whose time is over. Spread widely: every
 * process does it, and none of them needs to do it soon.
 */
export class RecountLoop extends Loop {
  constructor(recount: Recount, { database, clock }: { database: Database; clock: Clock }, log: Logger) {
    const delay = () => EVERY_MS * (0.5 + Math.random());
    const work = async () => {
      await forgetExpiredKeys(database, clock.now()).finally(() => recount.runOnce());
    };
    super({ name: 'the recount', delay, work }, log);
  }
}
