import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { BackfillLoop, RecountLoop, RescueLoop, RetentionLoop, TickLoop, WarmLoop } from '#pipeline';
import { OwnNode } from '../cluster/own-node.js';

interface Stoppable {
  start(): void;
  stop(): Promise<void>;
}

/** Starts and stops the loops with the process that hosts them, and those that make runs also when it is drained. */
@Injectable()
export class SchedulerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** What makes runs: none of it goes on in a drained process. */
  private readonly making: readonly Stoppable[];
  /** What looks after those that are there: it goes on, or a drained fleet would have nobody to do so. */
  private readonly looking: readonly Stoppable[];
  private changing: Promise<unknown> = Promise.resolve();
  private isOver = false;

  constructor(
    tick: TickLoop,
    rescue: RescueLoop,
    recount: RecountLoop,
    backfill: BackfillLoop,
    warm: WarmLoop,
    retention: RetentionLoop,
    node: OwnNode,
  ) {
    this.making = [tick, backfill, warm];
    this.looking = [rescue, recount, retention];
    node.onDrain((draining) => this.change(() => (draining ? stop(this.making) : start(this.making))));
  }

  onApplicationBootstrap(): void {
    start([...this.making, ...this.looking]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.change(() => stop([...this.making, ...this.looking]));
    this.isOver = true;
    await this.changing;
  }

  /** One after the other: a loop that still finishes its round must not be started a second time. */
  private change(work: () => Promise<unknown> | void): void {
    if (!this.isOver) this.changing = this.changing.then(work);
  }
}

const stop = (loops: readonly Stoppable[]) => Promise.all(loops.map((loop) => loop.stop()));
const start = (loops: readonly Stoppable[]) => loops.forEach((loop) => loop.start());
