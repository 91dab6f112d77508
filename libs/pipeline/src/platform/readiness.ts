import { ping } from '#database';
import type { Platform } from './open-platform.js';

/** Short enough that the answer is there within two seconds when every part is away. */
const CHECK_MS = 1_500;
/** How long an answer is given again: anybody may ask, so asking must cost nothing. */
const FRESH_MS = 1_000;

const PARTS = ['database', 'queue'] as const;
type Part = (typeof PARTS)[number];

export interface Readiness {
  ready: boolean;
  /** In fixed words: what a driver says may name hosts and users. */
  checks: Record<Part, { ok: boolean; error?: 'not reachable' | 'no answer in time' }>;
}

class Late extends Error {}

/** Whether the servers a process stands on are there. What is wrong with one goes to the log, once. */
export class ServerProbe {
  private last: Promise<Readiness> | null = null;
  private freshUntil = Infinity;
  private readonly away = new Set<Part>();

  constructor(private readonly platform: Pick<Platform, 'database' | 'queue' | 'log'>) {}

  look(): Promise<Readiness> {
    if (this.last === null || performance.now() > this.freshUntil) {
      this.freshUntil = Infinity;
      this.last = this.ask().finally(() => (this.freshUntil = performance.now() + FRESH_MS));
    }
    return this.last;
  }

  private async ask(): Promise<Readiness> {
    const [database, queue] = await Promise.all(PARTS.map((part) => this.check(part)));
    return { ready: database.ok && queue.ok, checks: { database, queue } };
  }

  private async check(part: Part): Promise<Readiness['checks'][Part]> {
    const { database, queue } = this.platform;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Late(`no answer within ${CHECK_MS} ms`)), CHECK_MS);
    });
    try {
      await Promise.race([part === 'database' ? ping(database) : queue.check(), late]);
      this.isBack(part);
      return { ok: true };
    } catch (error) {
      this.isAway(part, error);
      return { ok: false, error: error instanceof Late ? 'no answer in time' : 'not reachable' };
    } finally {
      clearTimeout(timer);
    }
  }

  private isAway(part: Part, error: unknown): void {
    if (!this.away.has(part)) this.platform.log.warn({ err: error }, `not ready: the ${part} is away`);
    this.away.add(part);
  }

  private isBack(part: Part): void {
    if (this.away.delete(part)) this.platform.log.info(`the ${part} is there again`);
  }
}
