import type { INestApplicationContext } from '@nestjs/common';
import { isLoopback } from '#config';
import { TargetClient } from '#outbound';
import {
  CancelWatch,
  DeliverNotice,
  ExecuteDispatch,
  LeaseKeeper,
  type NodeDuty,
  NodeKeeper,
  nodeRegister,
  type Platform,
  QueueDepths,
  RecountLoop,
  RescueLoop,
  RunPool,
  watchFleet,
} from '#pipeline';
import { ShellClient } from '#shell';
import { CommandProcessor } from './command.processor.js';
import { DeadlineProcessor } from './deadline.processor.js';
import { Intake } from './intake.js';
import { NotifyProcessor } from './notify.processor.js';
import { RunProcessor } from './run.processor.js';

/** Dispatches are claimed or handed on at once when the worker stops; only a queue that is away takes longer. */
const STOP_TAKING_MS = 3_000;
/** How much of the grace time is left for handing back what would not finish. */
const HAND_BACK_SHARE = 0.2;

/** The running worker: starts the loops, and on stop finishes or hands back what it holds. */
export class Worker {
  private readonly intake: Intake;
  private readonly keeper: NodeKeeper;

  constructor(
    private readonly app: INestApplicationContext,
    private readonly platform: Platform,
  ) {
    const { config, log } = platform;
    watchFleet(platform, app.get(QueueDepths));
    const pool = this.app.get(RunPool);
    const line = { pause: () => pool.stop(), resume: () => pool.resume() };
    this.intake = new Intake([this.app.get(RunProcessor), ...this.commandProcessors(), this.notices, line]);
    const register = nodeRegister(platform, 'WORKER', config.workerConcurrency);
    this.keeper = new NodeKeeper(register, this.dutyOf(pool), { leaseMs: config.leaseSeconds * 1000 }, log);
  }

  /** Before it takes runs: their orphans must not outlive them. */
  async prepare(): Promise<void> {
    const { config, log } = this.platform;
    if (!config.shellExecutor) return;
    const killed = await this.app.get(ShellClient).killOrphans();
    log.warn('SHELL_EXECUTOR is enabled: whoever may create tasks may run commands here as this user');
    if (killed.length > 0) log.warn({ exec_ids: killed }, 'killed commands that a worker had left behind');
  }

  start(): void {
    this.keeper.start();
    this.app.get(LeaseKeeper).start();
    this.app.get(CancelWatch).start();
    this.app.get(RescueLoop).start();
    this.app.get(RecountLoop).start();
    const { config, log, node, queue } = this.platform;
    const pool = this.app.get(RunPool);
    queue.signals.listen(({ cancel }) => pool.disown(cancel));
    if (isLoopback(config.host)) log.info('HOST is a loopback address: targets on this machine may be called');
    log.info({ node, slots: config.workerConcurrency }, 'worker ready');
  }

  async stop(): Promise<void> {
    const { shutdownGraceMs } = this.platform.config;
    const pool = this.app.get(RunPool);
    this.platform.log.info({ running: pool.busySlots }, 'stopping: finishing what is running');
    this.keeper.leave();
    this.intake.close('stopping');
    this.app.get(ExecuteDispatch).stop();
    await Promise.all([
      this.app.get(RescueLoop).stop(),
      this.app.get(RecountLoop).stop(),
      this.app.get(RunProcessor).stop(Math.min(STOP_TAKING_MS, shutdownGraceMs / 2)),
      ...this.commandProcessors().map((one) => one.stop(Math.min(STOP_TAKING_MS, shutdownGraceMs / 2))),
      this.app.get(DeadlineProcessor).stop(Math.min(STOP_TAKING_MS, shutdownGraceMs / 2)),
      this.notices.stop(Math.min(STOP_TAKING_MS, shutdownGraceMs / 2)),
    ]);
    const finished = await within(pool.drained(), shutdownGraceMs * (1 - HAND_BACK_SHARE));
    if (!finished) {
      pool.abort(pool.held(), 'the worker is stopping');
      await within(pool.drained(), shutdownGraceMs * HAND_BACK_SHARE);
    }
    await Promise.all([this.app.get(LeaseKeeper).stop(), this.app.get(CancelWatch).stop()]);
    await this.keeper.stop();
    await within(this.closeAll(), 2_000);
  }

  /** What it is told by those who look after the fleet, and what the rule against two at once asks of it. */
  private dutyOf(pool: RunPool): NodeDuty {
    const notices = this.app.get(DeliverNotice);
    return {
      load: () => pool.busySlots,
      isIdle: () => pool.isIdle && notices.isIdle,
      drain: (draining) => (draining ? this.intake.close('draining') : this.intake.open('draining')),
      // What it runs is broken off as each lease ends.
      loseTouch: () => this.intake.close('out of touch'),
      regainTouch: () => this.intake.open('out of touch'),
    };
  }

  private get notices(): NotifyProcessor {
    return this.app.get(NotifyProcessor);
  }

  private commandProcessors(): CommandProcessor[] {
    return this.platform.config.shellExecutor ? [this.app.get(CommandProcessor)] : [];
  }

  private async closeAll(): Promise<void> {
    this.app.get(ShellClient).close();
    await this.app.get(TargetClient).close();
    await this.platform.close();
  }
}

async function within(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((done) => (timer = setTimeout(() => done(false), ms)));
  const inTime = work.then(() => true as const);
  return Promise.race([inTime, late]).finally(() => clearTimeout(timer));
}
