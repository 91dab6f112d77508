import fs from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError, loadEnvironment, readConfig, SecretBox } from '#config';
import { openDatabase } from '#database';
import { CannotCheck, locateDatabase } from '../../doctor/src/locate-database.js';
import { progressEvery } from '../../doctor/src/progress.js';
import { readArguments } from './arguments.js';
import { HELP } from './help.js';
import { exitCodeOf, reportLines } from './report.js';
import { rotate } from './rotate.js';

const COULD_NOT_LOOK = 2;

const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const wish = readArguments(process.argv.slice(2));
  if (wish.kind === 'rotate') return sealAnew(wish.write);
  if (wish.kind === 'help') say(HELP);
  else complain(`✗ unknown argument ${wish.argument}: see npm run secrets:rotate -- --help`);
  return wish.kind === 'help' ? 0 : COULD_NOT_LOOK;
}

async function sealAnew(write: boolean): Promise<number> {
  const config = readConfig(withLocalKey(loadEnvironment()), { queue: false });
  const secrets = new SecretBox(config.secretKeys);
  const key = secrets.firstKey;
  if (key === null) throw new CannotCheck(NO_KEYS);
  const { databaseTimeoutMs: timeoutMs, databaseCaFile: ca } = config;
  const database = openDatabase({ url: locateDatabase(config), poolSize: 2, timeoutMs, ca });
  try {
    const passes = await rotate(database, secrets, { write }, progressEvery(complain));
    const report = { write, key, ...passes };
    for (const line of reportLines(report)) say(line);
    return exitCodeOf(report);
  } finally {
    await database.close();
  }
}

const NO_KEYS = 'SECRET_KEYS is not set: give it the same value that the API and the workers have';

/** `npm start` keeps its key in a file, unless it is given one. */
function withLocalKey(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { dataDir }: Pick<Config, 'dataDir'> = readConfig(env, { queue: false });
  const file = path.join(dataDir, 'secret.key');
  if (env.SECRET_KEYS || !fs.existsSync(file)) return env;
  return { ...env, SECRET_KEYS: fs.readFileSync(file, 'utf8').trim() };
}

function explain(error: unknown): string {
  if (error instanceof CannotCheck || error instanceof ConfigError) return error.message;
  return `could not look: ${error instanceof Error ? error.message.trim() || error.name : String(error)}`;
}

process.exitCode = await main().catch((error: unknown) => {
  complain(`✗ ${explain(error)}`);
  return COULD_NOT_LOOK;
});
