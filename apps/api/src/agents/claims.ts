import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { AgentRun } from '#database';
import { ClaimForAgent, HearAgent, PLATFORM, type Platform } from '#pipeline';

type Wish = Parameters<ClaimForAgent['claim']>[0];

/** How often somebody who waits looks by themselves: for signals that were lost, and for runs whose time has come. */
const LOOK_MS = 1_000;

/** Claims that wait for something to claim. */
@Injectable()
export class Claims implements BeforeApplicationShutdown {
  private readonly waiting = new Set<() => void>();
  private listening = false;
  private closing = false;

  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly claims: ClaimForAgent,
    private readonly agents: HearAgent,
  ) {}

  /** How many of them there are. */
  get size(): number {
    return this.waiting.size;
  }

  /** What there is; or what comes until then, as long as somebody is there to take it, and `check` lets them. */
  async claim(wish: Wish, waitMs: number, gone: AbortSignal, check = () => Promise.resolve()): Promise<AgentRun[]> {
    if (waitMs > 0) this.listen();
    const end = performance.now() + waitMs;
    for (;;) {
      // Whoever is told of a new run from here on looks again.
      const { woken, wake } = this.wait(Math.min(LOOK_MS, end - performance.now()), gone);
      const runs = gone.aborted
        ? []
        : await check()
            .then(() => this.claims.claim(wish))
            .catch(rethrow(wake));
      if (runs.length > 0 || performance.now() >= end || gone.aborted || this.closing) {
        wake();
        return gone.aborted ? this.giveBack(wish, runs) : runs;
      }
      await woken;
    }
  }

  /** An agent that waits is no reason to stay. */
  beforeApplicationShutdown(): void {
    this.closing = true;
    this.wakeAll();
  }

  /** Whoever asked has hung up meanwhile. What cannot be given back now comes back when its lease is over. */
  private async giveBack({ tenantId }: Wish, runs: readonly AgentRun[]): Promise<AgentRun[]> {
    const givenBack = runs.map(({ id, execId }) => this.agents.letGo({ tenantId, id, execId }));
    const failed = (await Promise.allSettled(givenBack)).filter(({ status }) => status === 'rejected');
    if (failed.length > 0) this.platform.log.warn({ runs: failed.length }, 'an agent that hung up keeps its lease');
    return [];
  }

  private wait(ms: number, gone: AbortSignal): { woken: Promise<void>; wake: () => void } {
    const { promise: woken, resolve } = withResolvers();
    const wake = () => {
      clearTimeout(timer);
      this.waiting.delete(wake);
      gone.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, Math.max(0, ms));
    this.waiting.add(wake);
    gone.addEventListener('abort', wake);
    return { woken, wake };
  }

  private listen(): void {
    if (this.listening) return;
    this.listening = true;
    this.platform.queue.signals.listen(({ agentRuns }) => {
      if (agentRuns) this.wakeAll();
    });
  }

  private wakeAll(): void {
    for (const wake of [...this.waiting]) wake();
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

const rethrow =
  (before: () => void) =>
  (error: unknown): never => {
    before();
    throw error;
  };
