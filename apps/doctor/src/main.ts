import { ConfigError, loadEnvironment, readConfig } from '#config';
import { DatabaseClock, openDatabase } from '#database';
import { readArguments } from './arguments.js';
import { examine } from './examination.js';
import { findingLines } from './finding.js';
import { HELP } from './help.js';
import { CannotCheck, locateDatabase } from './locate-database.js';
import { progressEvery } from './progress.js';
import { exitCodeOf, reportLines } from './report.js';
import { examineSurroundings } from './surroundings.js';

const COULD_NOT_CHECK = 2;
const SOMETHING_WRONG = 1;
/** One task with a long history may take a while to count; nobody waits for an answer here. */
const PATIENCE_MS = 60_000;

const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = (line: string) => process.stderr.write(`${line}\n`);

async function check(repair: boolean): Promise<number> {
  const config = readConfig(loadEnvironment(), { queue: false });
  const timeoutMs = Math.max(PATIENCE_MS, config.databaseTimeoutMs);
  const url = locateDatabase(config);
  const database = openDatabase({ url, poolSize: 2, timeoutMs, ca: config.databaseCaFile });
  try {
    const clock = new DatabaseClock(database);
    const { findings, hasTables } = await examineSurroundings(config, url, database, clock);
    for (const finding of findings) findingLines(finding).forEach(say);
    const isWrong = findings.some(({ level }) => level === 'wrong');
    if (!hasTables) return SOMETHING_WRONG;
    const report = await examine(database, clock, { repair }, progressEvery(complain));
    for (const line of reportLines(report)) say(line);
    return isWrong ? SOMETHING_WRONG : exitCodeOf(report);
  } finally {
    await database.close();
  }
}

function explain(error: unknown): string {
  if (error instanceof CannotCheck || error instanceof ConfigError) return error.message;
  return `could not check: ${error instanceof Error ? error.message.trim() || error.name : String(error)}`;
}

async function main(): Promise<number> {
  const wish = readArguments(process.argv.slice(2));
  if (wish.kind === 'check') return check(wish.repair);
  if (wish.kind === 'help') say(HELP);
  else complain(`✗ unknown argument ${wish.argument}: see npm run doctor -- --help`);
  return wish.kind === 'help' ? 0 : COULD_NOT_CHECK;
}

process.exitCode = await main().catch((error: unknown) => {
  complain(`✗ ${explain(error)}`);
  return COULD_NOT_CHECK;
});
