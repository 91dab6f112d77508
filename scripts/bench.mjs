// `npm run bench`: the product beside its peers in one run, on servers of its own.
//
//   npm run bench                  everything
//   npm run bench -- drain herd    some suites
//   npm run bench -- --help        which there are
import { requireNode } from './lib/node-version.mjs';

if (requireNode()) {
  const { prepare } = await import('./prepare.mjs');
  await prepare({ build: true });
  await import('../dist/bench/main.js');
}
