import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { Tick } from './tick.js';

export interface TickLoopOptions {
  intervalMs: number;
}

/** A row that was locked when the tick came by is free again within milliseconds: looked for this often, this many times. */
const AGAIN = { afterMs: 10, times: 40 };

/** Wakes at every second boundary of the database's clock. Any number of these run side by side, without a leader. */
export class TickLoop extends Loop {
  constructor(
    private readonly tick: Tick,
    clock: Clock,
    { intervalMs }: TickLoopOptions,
    log: Logger,
  ) {
    const delay = () => Math.ceil(intervalMs - (clock.now() % intervalMs));
    super({ name: 'the tick', delay, work: () => this.tickAll() }, log);
  }

  private async tickAll(): Promise<void> {
    await this.tick.runOnce();
    for (let i = 0; i < AGAIN.times && this.isRunning && (await this.tick.leftBehind()); i++) {
      await pause(AGAIN.afterMs);
      await this.tick.runOnce();
    }
  }
}
