import { Child } from '../support/child.js';
import type { Contender } from './contender.js';
import type { Punctual, PunctualOptions } from './punctual.js';

/**
 * The least that keeps a history: runs that the product has admitted are taken, called and closed in groups, in the product's tables, and
 * nothing else is done: no queue, no counters, no alarms, no rules. What any design could reach at most; no peer.
 */
export class BareHistory implements Contender {
  readonly name = 'bare loop + history';
  private worker: Child | undefined;

  constructor(
    private readonly product: Punctual,
    private readonly options: PunctualOptions,
  ) {}

  prepare(count: number): Promise<void> {
    return this.product.prepare(count);
  }

  handIn(count: number): Promise<void> {
    return this.product.handIn(count);
  }

  async startWorker(): Promise<Child> {
    const { databaseUrl, targetUrl, concurrency } = this.options;
    this.worker = Child.start('processes/bare-history.js', [databaseUrl, targetUrl, String(concurrency)]);
    await this.worker.ready();
    return this.worker;
  }

  async finished(): Promise<void> {
    await this.worker?.ask({ closed: true });
  }

  check(): Promise<void> {
    return this.product.check();
  }

  clear(): Promise<void> {
    return this.product.clear();
  }

  close(): Promise<void> {
    return this.product.close();
  }
}
