import { setTimeout as pause } from 'node:timers/promises';
import type { FleetProcess } from '../../e2e/support/fleet.js';
import {
  checkAdmission,
  checkCounters,
  checkEnds,
  checkExecutions,
  checkInTime,
  isFinal,
  recoveryOf,
  type Watched,
} from './invariants.js';
import type { World } from './world.js';

/** Recovery may take this long (I6). */
const RECOVERY_SECONDS = 60;
/** Calls of the last seconds say whether they come in time. */
const SEEN_MS = 8_000;
/** Much longer than a target takes, and shorter than a scenario. */
const TIMEOUT_SECONDS = 20;

/** Tasks that are due every second, or every few, while something is done to the product; and the checks that follow. */
export class Storm {
  private constructor(
    private readonly world: World,
    readonly tasks: readonly Watched[],
    /** The first due second that counts. */
    readonly first: number,
  ) {}

  static async begin(
    world: World,
    api: FleetProcess,
    count: number,
    { every = 1, path, ...fields }: { every?: number; path?: string } & Record<string, unknown> = {},
  ): Promise<Storm> {
    const cron_expr = every === 1 ? '* * * * * *' : `*/${every} * * * * *`;
    // A second that a busy machine gets to late is called all the same.
    const rules = {
      cron_expr,
      max_concurrency: 0,
      timeout_seconds: TIMEOUT_SECONDS,
      catch_up_mode: 'FULL',
      catch_up_limit: 10_000,
      ...fields,
    };
    const tasks: Watched[] = [];
    while (tasks.length < count) tasks.push({ id: await world.task(api, rules, path), every });
    return new Storm(world, tasks, nowSecond() + 2);
  }

  /** Until it rages: due seconds are called in time, or the machine is too busy for that even without a fault. */
  async rages(): Promise<void> {
    const { world, tasks } = this;
    await world.until(() => nowSecond() > this.first + 2 && world.target.size > 0, 'the first calls');
    const isNormal = () => recoveryOf(tasks, world.target.calls, Date.now() - SEEN_MS, nowSecond()) !== undefined;
    await world
      .until(isNormal, 'calls in time', 60_000)
      .catch(() => world.say('the machine is busy: late before any fault'));
  }

  /** Until due seconds are called in time again; how long that took since `overAt` (milliseconds) is a finding. */
  async recovers(overAt: number): Promise<void> {
    const { world, tasks } = this;
    world.overAt = Math.max(world.overAt, overAt);
    const recovery = () => recoveryOf(tasks, world.target.calls, overAt, nowSecond());
    for (const end = overAt + (RECOVERY_SECONDS + 15) * 1000; Date.now() < end; await pause(250)) {
      if (recovery() !== undefined) break;
    }
    const took = recovery();
    const text = `I6: not back to normal ${RECOVERY_SECONDS} s after the fault`;
    world.findings.expect(took !== undefined && took <= RECOVERY_SECONDS, text);
    if (took !== undefined) world.findings.recoverySeconds = Math.max(world.findings.recoverySeconds ?? 0, took);
  }

  /** No due seconds from now on; waits for what was admitted, and checks I1, I2 and I3. */
  end(api: FleetProcess): Promise<void> {
    return Storm.endAll([this], api);
  }

  static async endAll(storms: readonly Storm[], api: FleetProcess): Promise<void> {
    const { world } = storms[0];
    const tasks = storms.flatMap((storm) => storm.tasks);
    const last = nowSecond();
    const areDecided = async () => {
      const states = await world.ledger.states();
      return tasks.every(({ id }) => (states.find((state) => state.taskId === id)?.nextFireAt ?? 0) > last);
    };
    await world.until(areDecided, `every second up to ${last} is decided`);
    for (const { id } of tasks) await api.post(`/tasks/${id}/disable`, {});
    await checkAll(world);
    const runs = await world.ledger.runs();
    for (const { tasks: own, first } of storms) checkAdmission(world.findings, own, runs, { first, last });
  }
}

/** Waits until every run has ended, and checks what must hold of each (I2, I3). */
export async function checkAll(world: World, timeoutMs = 240_000): Promise<void> {
  const { ledger, target, findings } = world;
  const allEnded = async () => (await ledger.runs()).every(isFinal);
  await world.until(allEnded, 'every run has ended', timeoutMs).catch(() => undefined);
  const runs = await ledger.runs();
  findings.checked += runs.length;
  checkEnds(findings, runs);
  const attempts = await ledger.attempts();
  if (world.promises.includes('I2')) checkInTime(findings, runs, attempts, world.bounds);
  checkExecutions(findings, runs, attempts, target.calls);
  checkCounters(findings, await ledger.states());
}

export const nowSecond = (): number => Math.floor(Date.now() / 1000);
