import { ConfigError, loadEnvironment, readConfig } from '#config';
import { type ApiKey, DatabaseClock, migrate, openDatabase } from '#database';
import { CannotCheck, locateDatabase } from '../../doctor/src/locate-database.js';
import { type KeyWish, readArguments } from './arguments.js';
import { HELP } from './help.js';
import { makeKey } from './make-key.js';

const tell = (line: string) => process.stderr.write(`${line}\n`);

async function create(wish: KeyWish): Promise<number> {
  const config = readConfig(loadEnvironment(), { queue: false });
  const url = locateDatabase(config);
  const { databaseTimeoutMs: timeoutMs, databaseCaFile: ca } = config;
  // The key may be wanted before anything has ever been started.
  await migrate(url, undefined, ca);
  const database = openDatabase({ url, poolSize: 2, timeoutMs, ca });
  try {
    const clock = new DatabaseClock(database);
    await clock.measure();
    const { key, text } = await makeKey(database, wish, clock.now());
    tell(describe(key));
    process.stdout.write(`${text}\n`);
    return 0;
  } finally {
    await database.close();
  }
}

function describe({ id, name, role, tenantId, expiresAt }: ApiKey): string {
  const whose = tenantId === '*' ? 'the whole deployment' : `tenant ${tenantId}`;
  const until = expiresAt === null ? 'does not expire' : `expires ${expiresAt.toISOString()}`;
  return `✓ key ${id} "${name}": ${role} of ${whose}, ${until}. This is the only time it is shown:`;
}

function explain(error: unknown): string {
  if (error instanceof CannotCheck || error instanceof ConfigError) return error.message;
  return `no key was made: ${error instanceof Error ? error.message.trim() || error.name : String(error)}`;
}

async function main(): Promise<number> {
  const wish = readArguments(process.argv.slice(2));
  if (wish.kind === 'create') return create(wish);
  if (wish.kind === 'wrong') tell(`✗ ${wish.reason}: see npm run keys:create -- --help`);
  else process.stdout.write(`${HELP}\n`);
  return wish.kind === 'help' ? 0 : 2;
}

process.exitCode = await main().catch((error: unknown) => {
  tell(`✗ ${explain(error)}`);
  return 1;
});
