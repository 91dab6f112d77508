import fs from 'node:fs';
import { findServers, planStacks } from '#testing';
import { SCENARIOS } from './scenarios.js';
import { HELP, type Options, readOptions } from './support/options.js';
import { Runner, type Trial } from './support/runner.js';
import type { Scenario } from './support/scenario.js';
import { isWhole, summaryOf } from './support/summary.js';

async function main(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options.help) return console.log(HELP);
  if (options.list) return list();
  const trials = trialsOf(options);
  console.log(`${trials.length} trials, seed ${options.seed} (again: --seed ${options.seed})`);
  const runner = new Runner(options.seed, options.jobs);
  stopOnSignal(runner);
  const since = performance.now();
  const outcomes = await runner.runAll(trials).finally(() => runner.stop());
  const failed = outcomes.filter((outcome) => !isWhole(outcome));
  console.log(`\n${summaryOf(outcomes)}\n`);
  for (const note of outcomes.flatMap(({ scenario, findings }) =>
    findings.notes.map((text) => `${scenario.row}: ${text}`),
  ))
    console.log(`row ${note}`);
  const sum = (key: 'checked' | 'lost' | 'doubled') => outcomes.reduce((all, { findings }) => all + findings[key], 0);
  const minutes = ((performance.now() - since) / 60_000).toFixed(1);
  console.log(
    `${outcomes.length - failed.length} of ${outcomes.length} hold: ${sum('checked')} checked, ${sum('lost')} lost, ` +
      `${sum('doubled')} doubled, ${minutes} min, seed ${options.seed}`,
  );
  if (options.report)
    fs.writeFileSync(
      options.report,
      JSON.stringify({ passed: outcomes.length - failed.length, failed: failed.length }),
    );
  process.exitCode = failed.length > 0 ? 1 : 0;
}

function trialsOf(options: Options): Trial[] {
  const { covered, missing } = planStacks(options.stacks?.join(',') ?? process.env.PUNCTUAL_TEST_STACKS, findServers());
  for (const line of missing) console.log(`stack ${line}`);
  const chosen = SCENARIOS.filter(({ row }) => options.rows?.includes(row) ?? true);
  const stacksOf = (scenario: Scenario) => (options.core ? (scenario.core ?? []) : scenario.stacks);
  const trials = chosen.flatMap((scenario) =>
    stacksOf(scenario)
      .filter((stack) => covered.includes(stack))
      .map((stack) => ({ scenario, stack })),
  );
  if (trials.length === 0) throw new Error('nothing to do: no scenario fits, see --list');
  return trials;
}

function list(): void {
  for (const { row, name, holds, stacks, core } of SCENARIOS) {
    console.log(
      `${String(row).padStart(2)}  ${name}\n    ${holds}; on ${stacks.join(', ')}${core ? '; part of npm test' : ''}`,
    );
  }
}

function stopOnSignal(runner: Runner): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      console.error(`stopping (${signal})`);
      void runner.stop().finally(() => process.exit(130));
    });
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// Whatever is still open belongs to what has been stopped.
setTimeout(() => process.exit(), 5_000).unref();
