// Makes a checkout ready to run: packages, Prisma clients, build. Node's own modules only, since it runs before the
// install. Each step is skipped when its inputs have not changed.
//
//   node scripts/prepare.mjs [--build]
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, sourceHash } from './lib/build.mjs';
import { areClientsThere, generateClients, schemaHash } from './lib/generate.mjs';
import { install, isInstalled } from './lib/install.mjs';
import { withLock } from './lib/lock.mjs';
import { step } from './lib/progress.mjs';

export const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const notes = { clients: path.join(dist, '.clients'), build: path.join(dist, '.build') };

const isNoted = (what, hash) => fs.existsSync(notes[what]) && fs.readFileSync(notes[what], 'utf8') === hash;
const areClientsCurrent = () => areClientsThere(root) && isNoted('clients', schemaHash(root));
const isBuildCurrent = () => isNoted('build', sourceHash(root));

/** @param {{ build?: boolean, quiet?: boolean }} options */
export async function prepare({ build: wantsBuild = false, quiet = false } = {}) {
  // Looked at without the lock first, so that a checkout one may not write to still starts when it is ready.
  if (isInstalled(root) && areClientsCurrent() && (!wantsBuild || isBuildCurrent())) return;
  const tell = (line) => quiet || console.log(line);
  await withLock(
    path.join(dist, '.lock'),
    () => tell('  waiting for another preparation of this checkout to finish'),
    () => bringUpToDate(wantsBuild, quiet),
  );
}

async function bringUpToDate(wantsBuild, quiet) {
  if (!isInstalled(root)) {
    await step('installing packages (once, this can take a minute)', quiet, () => install(root));
  }
  if (!areClientsCurrent()) {
    const hash = schemaHash(root);
    await step('generating the database clients', quiet, () => generateClients(root));
    fs.writeFileSync(notes.clients, hash);
  }
  if (wantsBuild && !isBuildCurrent()) {
    const hash = sourceHash(root);
    await step('building', quiet, () => build(root));
    fs.writeFileSync(notes.build, hash);
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await prepare({ build: process.argv.includes('--build') });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
