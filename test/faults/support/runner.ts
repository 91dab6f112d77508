import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { StackName } from '#testing';
import { Random } from './random.js';
import type { Outcome, Scenario } from './scenario.js';
import { SharedServers } from './shared-servers.js';
import { complaintOf, isWhole } from './summary.js';
import { World } from './world.js';

export interface Trial {
  scenario: Scenario;
  stack: StackName;
}

const SECOND_CHANCES = 2;
/** A trial that takes that many times as long as it should waits for something that does not come. */
const PATIENCE = { times: 4, leastSeconds: 300 };

const workOf = ({ scenario: { seconds, weight = 1 } }: Trial): number => seconds * weight;

/** Runs trials side by side, as many as fit: most of them only wait. The greatest are started first. */
export class Runner {
  private readonly servers = new SharedServers();
  private readonly worlds = new Set<World>();
  private readonly outcomes: Outcome[] = [];
  private free: number;
  private isStopping = false;

  constructor(
    private readonly seed: number,
    jobs: number,
  ) {
    this.free = jobs;
  }

  async runAll(trials: readonly Trial[]): Promise<Outcome[]> {
    const waiting = [...trials].sort((a, b) => workOf(b) - workOf(a));
    const running = new Set<Promise<void>>();
    while (!this.isStopping && (waiting.length > 0 || running.size > 0)) {
      const next = waiting.findIndex(({ scenario }) => this.fits(scenario, running.size === 0));
      if (next < 0) {
        await Promise.race(running);
        continue;
      }
      const [trial] = waiting.splice(next, 1);
      const done = this.runOne(trial).then(() => void running.delete(done));
      running.add(done);
    }
    await this.giveSecondChances();
    return this.outcomes;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.allSettled([...this.worlds].map((world) => world.close()));
    await this.servers.stop();
  }

  /** What broke no promise, but was too slow for its patience beside others, is tried once more, alone, and named. */
  private async giveSecondChances(): Promise<void> {
    const failed = this.outcomes.filter((outcome) => !isWhole(outcome));
    const unlucky = failed.filter(({ findings }) => findings.isWhole());
    if (this.isStopping || failed.length > SECOND_CHANCES) return;
    for (const outcome of unlucky) {
      this.outcomes.splice(this.outcomes.indexOf(outcome), 1);
      await this.runOne(outcome);
      const again = this.outcomes.at(-1)!;
      if (isWhole(again)) again.findings.notes.push('failed first, and held alone: unsteady, look into it');
    }
  }

  private fits({ weight = 1 }: Scenario, isAlone: boolean): boolean {
    return weight <= this.free || isAlone;
  }

  private async runOne({ scenario, stack }: Trial): Promise<void> {
    const { weight = 1, row, name } = scenario;
    this.free -= weight;
    const title = `${String(row).padStart(2)} ${name} on ${stack}`;
    const say = (line: string) => console.log(`  ${new Date().toISOString().slice(11, 19)} ${title}: ${line}`);
    const world = new World(stack, Random.of(this.seed, row, name, stack), this.servers, say, scenario.holds);
    this.worlds.add(world);
    say('begins');
    const since = performance.now();
    let error: Error | undefined;
    await within(limitOf(scenario), scenario.run(world)).catch((cause: Error) => (error = cause));
    const outcome = { scenario, stack, seconds: (performance.now() - since) / 1000, findings: world.findings, error };
    const logs = isWhole(outcome) ? '' : keepLogs(world, `${row}-${stack}`);
    await world.close();
    this.worlds.delete(world);
    this.free += weight;
    this.outcomes.push(outcome);
    say(isWhole(outcome) ? `holds (${Math.round(outcome.seconds)} s)` : 'DOES NOT HOLD');
    if (!isWhole(outcome)) console.log(complaintOf(outcome, this.seed, logs));
  }
}

const limitOf = ({ seconds }: Scenario): number => Math.max(PATIENCE.leastSeconds, seconds * PATIENCE.times);

async function within(seconds: number, work: Promise<void>): Promise<void> {
  const stop = new AbortController();
  const late = pause(seconds * 1000, null, { signal: stop.signal }).then(() => {
    throw new Error(`it was not over after ${seconds} s`);
  });
  // The one that loses has nobody to tell any more.
  for (const one of [late, work]) one.catch(() => undefined);
  await Promise.race([work, late]).finally(() => stop.abort());
}

/** What the processes of a scenario that failed have said, and what their target saw. */
function keepLogs({ processes, target }: World, name: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `punctual-faults-${name}-`));
  for (const [i, { child, output }] of processes.entries()) {
    fs.writeFileSync(
      path.join(folder, `${i}-${path.basename(path.dirname(path.dirname(child.spawnargs[1])))}.log`),
      output,
    );
  }
  if (target) fs.writeFileSync(path.join(folder, 'calls.json'), JSON.stringify(target.calls, null, 1));
  return folder;
}
