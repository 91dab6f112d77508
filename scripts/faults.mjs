// `npm run test:faults`: the built product as separate processes, broken in 25 ways, and looked at from outside.
//
//   npm run test:faults                         everything, on every stack this machine has servers for
//   npm run test:faults -- --only 7,16          some rows of docs/guarantees.md
//   npm run test:faults -- --help               what else there is
import { requireNode } from './lib/node-version.mjs';

if (requireNode()) {
  const { prepare } = await import('./prepare.mjs');
  await prepare({ build: true });
  await import('../dist/test/faults/main.js');
}
