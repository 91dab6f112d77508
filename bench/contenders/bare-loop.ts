import { Child } from '../support/child.js';
import type { Contender } from './contender.js';

/** Nothing but the calls: what the machine, the client and the target can do. */
export class BareLoop implements Contender {
  readonly name = 'bare HTTP loop';
  private worker: Child | undefined;
  private backlog = 0;
  private done: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly targetUrl: string,
    private readonly concurrency: number,
  ) {}

  handIn(count: number): Promise<void> {
    if (this.worker) this.done = this.worker.ask({ calls: count }, 120_000);
    else this.backlog += count;
    return Promise.resolve();
  }

  async startWorker(): Promise<Child> {
    this.worker = Child.start('processes/bare-loop.js', [this.targetUrl, String(this.concurrency)]);
    await this.worker.ready();
    await this.handIn(this.backlog);
    this.backlog = 0;
    return this.worker;
  }

  async finished(): Promise<void> {
    await this.done;
  }

  clear(): Promise<void> {
    this.worker = undefined;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
