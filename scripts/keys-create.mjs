// `npm run keys:create`: makes an API key. See npm run keys:create -- --help.
import { requireNode } from './lib/node-version.mjs';

async function create() {
  const { prepare, root } = await import('./prepare.mjs');
  process.chdir(root);
  await prepare({ build: true });
  await import('../dist/apps/keys/src/main.js');
}

try {
  if (requireNode()) await create();
  else process.exitCode = 2;
} catch (error) {
  console.error(`✗ ${error.message}`);
  process.exitCode = 2;
}
