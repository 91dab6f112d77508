// `npm run secrets:rotate`: seals every secret in the database with the first of SECRET_KEYS. See npm run secrets:rotate -- --help.
import { requireNode } from './lib/node-version.mjs';

async function rotate() {
  const { prepare, root } = await import('./prepare.mjs');
  process.chdir(root);
  await prepare({ build: true });
  await import('../dist/apps/secrets/src/main.js');
}

try {
  if (requireNode()) await rotate();
  else process.exitCode = 2;
} catch (error) {
  console.error(`✗ ${error.message}`);
  process.exitCode = 2;
}
