// `npm run test:fuzz`: requests made from the OpenAPI document, against the built API. See npm run test:fuzz -- --help.
import { requireNode } from './lib/node-version.mjs';

async function main() {
  const { prepare } = await import('./prepare.mjs');
  await prepare({ build: true });
  const testing = await import('../dist/libs/testing/src/index.js');
  const { fuzzStack, HELP, readOptions } = await import('../dist/libs/testing/src/fuzz/main.js');
  const options = readOptions(process.argv.slice(2));
  if (options.help) return void console.log(HELP);
  const servers = [];
  try {
    const env = { PUNCTUAL_TEST_STACK: options.stack, ...(await startServers(testing, options.stack, servers)) };
    const stack = await testing.openStack(env);
    process.exitCode = await fuzzStack(stack, options);
    await stack.close();
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function startServers(testing, stack, servers) {
  const urls = {};
  if (stack.endsWith('-redis')) {
    servers.push(await testing.startRedis());
    urls.PUNCTUAL_TEST_REDIS_URL = servers[0].url;
  }
  if (stack.startsWith('mariadb')) {
    servers.push(await testing.startMariaDb());
    urls.PUNCTUAL_TEST_MARIADB_URL = servers[1].url();
  }
  if (stack.startsWith('mysql')) {
    servers.push(await testing.startMySql());
    urls.PUNCTUAL_TEST_MYSQL_URL = servers[1].url();
  }
  return urls;
}

if (requireNode()) {
  try {
    await main();
  } catch (error) {
    console.error(`✗ ${error.message}`);
    process.exitCode = 2;
  }
}
