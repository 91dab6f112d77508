import { Child } from './child.js';

export interface Call {
  /** Who called: the run id, where there is one. */
  id: string;
  /** The due time it named, and when it came; epoch milliseconds. */
  due: number;
  at: number;
}

/** The echo target in a process of its own, and what it saw. */
export class Target {
  private constructor(
    private readonly child: Child,
    readonly url: string,
  ) {}

  static async start(): Promise<Target> {
    const child = Child.start('processes/echo-target.js');
    const { port } = await child.ready<{ port: number }>();
    return new Target(child, `http://127.0.0.1:${port}/echo`);
  }

  get pid(): number {
    return this.child.pid;
  }

  reset(): Promise<unknown> {
    return this.child.ask({ reset: true });
  }

  /** Resolves when it has been called that often since the last reset, with when the last of these came. */
  async called(times: number, withinMs = 180_000): Promise<number> {
    const { at } = await this.child.ask<{ at: number }>({ await: times }, withinMs);
    return at;
  }

  async count(): Promise<number> {
    return (await this.child.ask<{ count: number }>({ count: true })).count;
  }

  /** Every call since the last reset. */
  async calls(): Promise<Call[]> {
    return (await this.child.ask<{ calls: Call[] }>({ calls: true })).calls;
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}
