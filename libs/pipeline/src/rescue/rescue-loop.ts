import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { Rescue } from './rescue.js';

export interface RescueLoopOptions {
  intervalMs: number;
}

/** Rescue on a timer, spread a little so that many processes do not come at once. */
export class RescueLoop extends Loop {
  constructor(rescue: Rescue, { intervalMs }: RescueLoopOptions, log: Logger) {
    const delay = () => intervalMs * (0.8 + 0.4 * Math.random());
    super({ name: 'rescue', delay, work: async () => void (await rescue.runOnce()) }, log);
  }
}
