// `npm run doctor`: compares the counters of tasks with their runs, and repairs them. See npm run doctor -- --help.
import { requireNode } from './lib/node-version.mjs';

async function check() {
  const { prepare, root } = await import('./prepare.mjs');
  process.chdir(root);
  await prepare({ build: true });
  await import('../dist/apps/doctor/src/main.js');
}

try {
  if (requireNode()) await check();
  else process.exitCode = 2;
} catch (error) {
  console.error(`✗ ${error.message}`);
  process.exitCode = 2;
}
