import { setTimeout as pause } from 'node:timers/promises';
import { heartbeatEveryMs } from '#domain';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { NodeRegister } from './node-register.js';

/** Most rounds are about this process alone; in one of so many, those that died long ago are forgotten. */
const FORGET_EVERY = 500;
/** A database that is away does not keep a process from ending. */
const GOODBYE_MS = 2_000;

/** What a process tells of itself, and what it does when it is told something. */
export interface NodeDuty {
  /** How much it is doing now. */
  load(): number;
  /** Whether nothing is left to finish. */
  isIdle(): boolean;
  /** It is to take nothing new from now on, or may do so again. */
  drain(draining: boolean): void;
  /** The database has not been reached for a whole lease: by now others may have what this process holds. */
  loseTouch(): void;
  regainTouch(): void;
}

/**
 * Keeps this process' row among the nodes, several times per lease. What comes back is whether it is to drain; that nothing
 * comes back for a whole lease means that the others take it for dead, and it has to behave so.
 */
export class NodeKeeper extends Loop {
  private rounds = 0;
  private draining = false;
  private inTouch = true;
  private watchdog: NodeJS.Timeout | undefined;

  constructor(
    private readonly register: NodeRegister,
    private readonly duty: NodeDuty,
    private readonly lease: { leaseMs: number },
    private readonly logger: Logger,
  ) {
    const delay = () => (this.rounds === 0 ? 0 : heartbeatEveryMs(lease.leaseMs));
    super({ name: 'the heartbeat', delay, work: () => this.beat() }, logger);
  }

  get isDraining(): boolean {
    return this.draining;
  }

  override start(): void {
    this.watch(performance.now());
    super.start();
  }

  /** The others may know that it goes; whether they do is not worth waiting for. */
  leave(): void {
    this.register.leave().catch(() => undefined);
  }

  /** The last thing a process does: whatever it held is settled, and nobody need wonder what became of it. */
  override async stop(): Promise<void> {
    const goodbye = super.stop().then(() => this.register.remove());
    clearTimeout(this.watchdog);
    await Promise.race([goodbye.catch(() => undefined), pause(GOODBYE_MS, undefined, { ref: false })]);
    clearTimeout(this.watchdog);
  }

  private async beat(): Promise<void> {
    const isFirst = this.rounds++ === 0;
    // The lease counts from when it was asked for, not from when the answer came.
    const askedAt = performance.now();
    const drained = this.draining && this.duty.isIdle();
    const draining = await this.register.keep({ load: this.duty.load(), drained });
    if (!this.isRunning) return;
    this.watch(askedAt);
    this.hear(draining);
    if (isFirst || this.rounds % FORGET_EVERY === 0) await this.register.forgetOthers();
  }

  private hear(draining: boolean): void {
    if (!this.inTouch) {
      this.inTouch = true;
      this.logger.info('the database is in reach again: taking work as before');
      this.duty.regainTouch();
    }
    if (draining === this.draining) return;
    this.draining = draining;
    this.logger.info(draining ? 'draining: nothing new is taken' : 'no longer draining');
    this.duty.drain(draining);
  }

  /** A timer of its own: a database that has gone silent may keep the statement waiting for longer than the lease. */
  private watch(since: number): void {
    clearTimeout(this.watchdog);
    const left = this.lease.leaseMs - (performance.now() - since);
    this.watchdog = setTimeout(() => this.loseTouch(), Math.max(0, left)).unref();
  }

  private loseTouch(): void {
    if (!this.inTouch) return;
    this.inTouch = false;
    this.logger.warn('the database was out of reach for a whole lease: nothing new is taken until it is back');
    this.duty.loseTouch();
  }
}
