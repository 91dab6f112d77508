import fs from 'node:fs';
import path from 'node:path';
import { hashOf } from './files.mjs';
import { run } from './run.mjs';

const stampOf = (root) => path.join(root, 'node_modules', '.punctual-installed');
const lockHash = (root) => hashOf([path.join(root, 'package-lock.json')]);

/** True when node_modules holds what package-lock.json asks for, whoever installed it. */
export function isInstalled(root) {
  const hash = lockHash(root);
  if (readText(stampOf(root)) === hash) return true;
  if (!matchesLock(root)) return false;
  remember(root, hash);
  return true;
}

export async function install(root) {
  // Inside `npm start` this is the very npm that runs us; a bare `node scripts/…` takes the one on the PATH.
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  // --include=dev: the build tools are needed even where NODE_ENV=production is set.
  await run(npm[0], [...npm.slice(1), 'ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: root });
  remember(root, lockHash(root));
}

function remember(root, hash) {
  try {
    fs.writeFileSync(stampOf(root), hash);
  } catch (error) {
    // A read-only checkout: the comparison is made again next time.
    if (!['EACCES', 'EROFS', 'EPERM'].includes(error.code)) throw error;
  }
}

function matchesLock(root) {
  const wanted = packagesOf(path.join(root, 'package-lock.json'));
  const present = packagesOf(path.join(root, 'node_modules', '.package-lock.json'));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(
    ([name, entry]) => name === '' || entry.optional || entry.devOptional || present[name]?.version === entry.version,
  );
}

function packagesOf(file) {
  const text = readText(file);
  return text === undefined ? undefined : JSON.parse(text).packages;
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
