// `npm start`: makes the checkout ready, then hands over to the launcher. Node's own modules only.
import { requireNode } from './lib/node-version.mjs';

const HELP = `Punctual: HTTP tasks on a cron schedule to the second, or on demand.

  npm start              install (once), build, start everything, print where it is
  npm start -- --help    this text

Without settings it runs on an embedded PostgreSQL, which keeps its data in .data. Nothing else has to be installed.
Settings come from the environment or from a file .env beside package.json; the environment wins.

  PORT           where the API listens                                    3000
  HOST           on which address                                         127.0.0.1
  DATA_DIR       where the embedded PostgreSQL keeps its data             .data
  DATABASE_URL   postgresql://… or mysql://…  use this database instead   (embedded)
  REDIS_URL      redis://…                    use this queue instead      (on PostgreSQL)

With MySQL, REDIS_URL is needed as well. All settings: docs/configuration.md
Ctrl-C stops everything.`;

async function start() {
  const { prepare, root } = await import('./prepare.mjs');
  process.chdir(root);
  await prepare({ build: true });
  await import('../dist/apps/launcher/src/main.js');
}

if (process.argv.slice(2).some((argument) => ['--help', '-h', 'help'].includes(argument))) {
  console.log(HELP);
} else if (process.argv.length > 2) {
  console.error(`✗ unknown argument ${process.argv[2]}: settings are environment variables, see npm start -- --help`);
  process.exitCode = 1;
} else if (requireNode()) {
  try {
    await start();
  } catch (error) {
    console.error(`✗ ${error.message}`);
    process.exitCode = 1;
  }
}
