import fs from 'node:fs';
import path from 'node:path';

/**
 * Jest loads every module anew for every test file, and a file that starts the whole product has two thousand of them: more work than most of
 * its tests. So when the whole suite runs, its files are read into a few, each of which is one file to jest.
 */
const FOLDER = 'test/.groups';
const COUNT = 12;

/** Writes the groups; answers with how to remove them, and with how to find the file of a test that failed. */
export function groupSpecs(root, folder) {
  const files = specsBelow(path.join(root, folder)).sort((a, b) => fs.statSync(b).size - fs.statSync(a).size);
  const groups = Array.from({ length: COUNT }, (_, nth) => files.filter((_, i) => i % COUNT === nth));
  const target = path.join(root, FOLDER);
  const remove = () => fs.rmSync(target, { recursive: true, force: true });
  remove();
  fs.mkdirSync(target);
  groups.forEach((group, i) => fs.writeFileSync(path.join(target, `${i + 1}.spec.ts`), textOf(group, target)));
  return { remove, fileOf: (title) => fileWith(files, title, root) };
}

function specsBelow(folder) {
  const names = fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.spec.ts'));
  return names.map((name) => path.join(folder, name));
}

const textOf = (files, target) =>
  files.map((file) => `await import('${path.relative(target, file).replace(/\.ts$/, '.js')}');\n`).join('');

/** Relative to the root; undefined if no file begins a block of that title. */
function fileWith(files, title, root) {
  const found = files.find((file) => fs.readFileSync(file, 'utf8').includes(`describe('${title}'`));
  return found && path.relative(root, found);
}
