// `npm test`: makes the checkout ready, starts the servers it needs, and runs unit tests, the integration suite once
// per stack, end-to-end tests, and the core of the fault scenarios (scripts/faults.mjs has all of them).
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { requireNode } from './lib/node-version.mjs';

const HELP = `npm test [-- arguments]: prepares the checkout, starts servers of its own, and stops them again

  npm test                                     everything this machine has servers for, about half an hour on two cores
  npm test -- --only unit admit                one suite (unit, integration, e2e, faults), and a pattern for its file names
  npm test -- --only faults --seed 42          the core of the fault scenarios; npm run test:faults -- --help for all of them
  npm test -- --help                           this text

  PUNCTUAL_TEST_STACKS=embedded,mariadb-redis  only these stacks (embedded, postgres-redis, mariadb-redis, mysql-redis)
  PUNCTUAL_TEST_STACKS=all                     all of them: a server that is not installed is an error, but for MySQL's own,
                                               which Debian's stable release has no package of; MYSQLD says where it is,
                                               and scripts/mysql-server.sh fetches one

Other arguments are for jest. CONTRIBUTING.md says more.`;

async function main() {
  if (['--help', '-h'].includes(process.argv[2])) return void console.log(HELP);
  const { prepare, root } = await import('./prepare.mjs');
  await prepare({ build: true });
  const testing = await import('../dist/libs/testing/src/index.js');
  const { runJest } = await import('./lib/jest-run.mjs');
  const { runFaults } = await import('./lib/faults-run.mjs');
  const { suites, forJest } = testing.readArguments(process.argv.slice(2));
  const plan = testing.planStacks(process.env.PUNCTUAL_TEST_STACKS, testing.findServers());
  // Fault scenarios bring servers of their own, to hurt them.
  const needsServers = suites.some((suite) => suite === 'integration' || suite === 'e2e');
  if (needsServers) announce(plan);

  const servers = [];
  const current = {};
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'punctual-test-'));
  const cleanUp = async () => {
    await Promise.all(servers.splice(0).map(async (server) => (await server).stop()));
    fs.rmSync(folder, { recursive: true, force: true });
  };
  stopOnSignal(current, cleanUp);
  try {
    const urls = needsServers ? await startServers(testing, plan.servers, servers) : {};
    const rows = [];
    for (const { title, suite, stack } of phasesOf(suites, plan.covered, forJest)) {
      console.log(`\n━━ ${title}`);
      const env = stack ? { PUNCTUAL_TEST_STACK: stack, ...urls } : {};
      const run = suite === 'faults' ? runFaults : runJest;
      rows.push({ title, ...(await run({ root, suite, env, args: forJest, folder, current })) });
      if (current.isStopping) return;
    }
    report(rows, needsServers ? plan : undefined);
    process.exitCode = rows.some((row) => row.failed > 0) ? 1 : 0;
  } finally {
    await cleanUp();
  }
}

function phasesOf(suites, stacks, forJest) {
  // End-to-end tests bring up whole deployments; with Redis at hand they can have several workers on it.
  const forE2e = stacks.find((stack) => stack === 'postgres-redis') ?? stacks[0];
  const phases = {
    unit: [{ title: 'unit', suite: 'unit' }],
    integration: stacks.map((stack) => ({ title: `integration on ${stack}`, suite: 'integration', stack })),
    e2e: [{ title: `e2e on ${forE2e}`, suite: 'e2e', stack: forE2e }],
    // A pattern of file names is not for them, unless they were asked for by name.
    faults: forJest.length === 0 || suites.length === 1 ? [{ title: 'faults, the core', suite: 'faults' }] : [],
  };
  return suites.flatMap((suite) => phases[suite]);
}

/** Started at once; each is in `servers` from its first moment, so that an interrupt finds it. */
async function startServers(testing, names, servers) {
  const start = (server) => {
    servers.push(server);
    server.catch(() => servers.splice(servers.indexOf(server), 1));
    return server;
  };
  const postgres = start(testing.startPostgres());
  const redis = names.includes('redis') ? start(testing.startRedis()) : undefined;
  const mariadb = names.includes('mariadb') ? start(testing.startMariaDb()) : undefined;
  const mysql = names.includes('mysql') ? start(testing.startMySql()) : undefined;
  return {
    PUNCTUAL_TEST_PG_URL: (await postgres).url(),
    ...(redis ? { PUNCTUAL_TEST_REDIS_URL: (await redis).url } : {}),
    ...(mariadb ? { PUNCTUAL_TEST_MARIADB_URL: (await mariadb).url() } : {}),
    ...(mysql ? { PUNCTUAL_TEST_MYSQL_URL: (await mysql).url() } : {}),
  };
}

/** Ctrl-C reaches jest as well, and npm hands it on to us a second time: once is enough. */
function stopOnSignal(current, cleanUp) {
  const stop = (signal) => {
    if (current.isStopping) return;
    current.isStopping = true;
    console.error(`\nstopping (${signal})`);
    current.child?.kill('SIGTERM');
    void cleanUp().finally(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
}

function announce({ covered, missing }) {
  console.log(`stacks covered: ${covered.join(', ')}`);
  for (const line of missing) console.log(`stack ${line}`);
}

function report(rows, plan) {
  const width = Math.max(...rows.map((row) => row.title.length));
  console.log(`\n${''.padEnd(width)}  passed  failed  skipped     time`);
  for (const { title, passed, failed, skipped, seconds } of rows) {
    const counts = [String(passed).padStart(8), String(failed).padStart(8), String(skipped).padStart(9)].join('');
    console.log(`${title.padEnd(width)}${counts}  ${seconds.toFixed(1).padStart(5)} s`);
  }
  for (const line of plan?.missing ?? []) console.log(`stack ${line}`);
  for (const { title, unsteady = [] } of rows) {
    for (const file of unsteady) console.log(`unsteady, look into it: ${file} failed, and passed alone (${title})`);
  }
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`);
}

if (requireNode()) {
  try {
    await main();
  } catch (error) {
    console.error(`✗ ${error.message}`);
    process.exitCode = 1;
  }
}
