import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#database';
import { afterTaking, type Allowance, blockToTake, freshAllowance, remainingOf, useAllowance } from '#domain';
import type { Counters } from '#queue';

/** A server that takes longer is not waited for. */
const PATIENCE_MS = 250;

export interface LimitOptions {
  /** Keeps the counts of different limits apart. */
  name: string;
  most: number;
  windowMs: number;
}

/** How a caller stands after a request. */
export interface Standing {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Until the next window. */
  resetSeconds: number;
}

interface Account {
  allowance: Allowance;
  asking: Promise<void> | null;
}

/**
 * So many of something in a window of time, over all processes. Each takes what it needs in blocks, so that few requests cost a
 * round trip; while the server that counts is away, each process holds the limit by itself.
 */
export class SharedLimit {
  private start = 0;
  private accounts = new Map<string, Account>();

  constructor(
    private readonly counters: Counters,
    private readonly clock: Clock,
    private readonly options: LimitOptions,
  ) {}

  /** All of the cost, or nothing. */
  async take(subject: string, cost = 1): Promise<Standing> {
    const { most } = this.options;
    for (;;) {
      const account = this.account(subject);
      const used = useAllowance(account.allowance, cost);
      if (used !== null) {
        account.allowance = used;
        return this.standing(account, true);
      }
      if (account.asking === null) {
        const block = blockToTake(account.allowance, most, cost);
        if (block === 0) return this.standing(account, false);
        account.asking = this.ask(subject, account, block).finally(() => (account.asking = null));
      }
      await account.asking;
    }
  }

  /** As much of the cost as is there. */
  async charge(subject: string, cost: number): Promise<void> {
    const rest = remainingOf(this.account(subject).allowance);
    if (rest > 0) await this.take(subject, Math.min(cost, rest));
  }

  /** How the caller stands, without counting anything. */
  look(subject: string): Standing {
    const account = this.account(subject);
    return this.standing(account, remainingOf(account.allowance) > 0);
  }

  private account(subject: string): Account {
    const { windowMs, most } = this.options;
    const start = Math.floor(this.clock.now() / windowMs) * windowMs;
    if (start !== this.start) {
      this.start = start;
      this.accounts = new Map();
    }
    let account = this.accounts.get(subject);
    if (account === undefined)
      this.accounts.set(subject, (account = { allowance: freshAllowance(most), asking: null }));
    return account;
  }

  private async ask(subject: string, account: Account, block: number): Promise<void> {
    const { name, windowMs: lengthMs, most } = this.options;
    const alone = most - account.allowance.open + block;
    const window = { name: `${name}:${subject}`, start: this.start, lengthMs };
    const total = await Promise.race([
      this.counters.add(window, block).catch(() => alone),
      pause(PATIENCE_MS, alone, { ref: false }),
    ]);
    account.allowance = afterTaking(account.allowance, most, block, total);
  }

  private standing({ allowance }: Account, allowed: boolean): Standing {
    const { most, windowMs } = this.options;
    const left = this.start + windowMs - this.clock.now();
    const resetSeconds = Math.max(1, Math.ceil(left / 1000));
    return { allowed, limit: most, remaining: allowed ? remainingOf(allowance) : 0, resetSeconds };
  }
}
