import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { Recount } from './recount.js';

const EVERY_MS = 5 * 60_000;

/** The recount now and then, spread widely: every process does it, and none of them needs to do it soon. */
export class RecountLoop extends Loop {
  constructor(recount: Recount, log: Logger) {
    const delay = () => EVERY_MS * (0.5 + Math.random());
    super({ name: 'the recount', delay, work: async () => void (await recount.runOnce()) }, log);
  }
}
