import fs from 'node:fs';
import path from 'node:path';
import { filesBelow, hashOf } from './files.mjs';
import { run } from './run.mjs';

const FOLDERS = ['apps', 'libs', 'bench', 'test'];
const isSource = (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('.d.ts');

const sourcesOf = (root) => FOLDERS.flatMap((folder) => filesBelow(path.join(root, folder), isSource));

export function sourceHash(root) {
  return hashOf([
    ...sourcesOf(root),
    path.join(root, '.swcrc'),
    path.join(root, 'node_modules/@swc/core/package.json'),
  ]);
}

/** apps/api/src/main.ts becomes dist/apps/api/src/main.js: package.json "imports" counts on it. */
export async function build(root) {
  const folders = FOLDERS.filter((folder) => fs.existsSync(path.join(root, folder)));
  const swc = path.join(root, 'node_modules/@swc/cli/bin/swc.js');
  await run(process.execPath, [swc, ...folders, '-d', 'dist', '--ignore', '**/*.spec.ts', '--quiet'], { cwd: root });
  dropOrphans(root);
}

/** What was compiled from a source that is gone must not be found by an import any more. */
function dropOrphans(root) {
  const expected = new Set(sourcesOf(root).map((file) => path.relative(root, file).replace(/\.ts$/, '.js')));
  for (const folder of FOLDERS) {
    for (const file of filesBelow(path.join(root, 'dist', folder))) {
      const compiled = path.relative(path.join(root, 'dist'), file).replace(/\.map$/, '');
      if (!expected.has(compiled)) fs.rmSync(file, { force: true });
    }
  }
}
